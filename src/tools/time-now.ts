/** The tool `time_now`: date and time in the service's time zone or another, to compute with and to read. */
import { z } from 'zod'
import { defineTool, ToolFailed, type ToolMaker } from './tool.ts'

const Arguments = z.object({
  timezone: z.string().max(64).optional().describe('An IANA name such as Europe/Berlin; left out: the usual one here'),
})

export const timeNow: ToolMaker = ({ settings }) =>
  defineTool({
    name: 'time_now',
    description: 'The date and time of this moment, in the usual time zone or in a given one.',
    arguments: Arguments,
    risk: 'read',
    idempotency: 'repeatable',
    timeoutMs: 1_000,
    async run({ clock }, { timezone = '' }) {
      const zone = checkedZone(timezone.trim() || settings.get('SERVICE_TIMEZONE'))
      const now = new Date(clock.now())
      return `${isoIn(now, zone)}\n${inWords(now, zone)}`
    },
  })

function checkedZone(zone: string): string {
  // Offsets are no zones: they say nothing of summer, and two texts of one offset would be two zones.
  const isName = /^[A-Za-z][A-Za-z0-9_+\-/]*$/.test(zone)
  try {
    if (isName) return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone && zone
  } catch {
    // Refused below like every other name that is none.
  }
  throw new ToolFailed(
    'unknown_timezone',
    `${JSON.stringify(zone)} is no IANA time zone: use one such as Europe/Berlin`,
  )
}

/** @returns such as 2026-03-29T03:00:00+02:00 */
function isoIn(now: Date, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'longOffset' },
  })
  const part = new Map(format.formatToParts(now).map(({ type, value }) => [type, value]))
  const date = `${part.get('year')}-${part.get('month')}-${part.get('day')}`
  const offset = part.get('timeZoneName')?.replace('GMT', '') || '+00:00'
  return `${date}T${part.get('hour')}:${part.get('minute')}:${part.get('second')}${offset}`
}

function inWords(now: Date, timeZone: string): string {
  const date = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'full' }).format(now)
  const time = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'short' }).format(now)
  return `${date}, ${time}, ${timeZone}`
}
