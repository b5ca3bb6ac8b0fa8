/** The tool `time_now`: date and time in the service's time zone or another, to compute with and to read. */
import { LRUCache } from 'lru-cache'
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
      const zone = zoneOf(timezone.trim() || settings.get('SERVICE_TIMEZONE'))
      const now = new Date(clock.now())
      return `${isoIn(now, zone)}\n${inWords(now, zone)}`
    },
  })

/** Creating one takes more time than everything else in this tool. */
interface Zone {
  name: string
  exact: Intl.DateTimeFormat
  date: Intl.DateTimeFormat
  time: Intl.DateTimeFormat
}

const zones = new LRUCache<string, Zone>({ max: 64 })

function zoneOf(name: string): Zone {
  const known = zones.get(name)
  if (known) return known
  const made = madeZone(name)
  zones.set(name, made)
  return made
}

/** @throws ToolFailed for an unknown zone */
function madeZone(name: string): Zone {
  // Offsets are not zones: they have no daylight saving, and one offset can be written in two ways.
  if (/^[A-Za-z][A-Za-z0-9_+\-/]*$/.test(name)) {
    try {
      return {
        name,
        exact: new Intl.DateTimeFormat('en', {
          timeZone: name,
          hourCycle: 'h23',
          year: 'numeric',
          month: '2-digit',
          day: '2-digit',
          hour: '2-digit',
          minute: '2-digit',
          second: '2-digit',
          timeZoneName: 'longOffset',
        }),
        date: new Intl.DateTimeFormat('en-GB', { timeZone: name, dateStyle: 'full' }),
        time: new Intl.DateTimeFormat('en-GB', { timeZone: name, timeStyle: 'short' }),
      }
    } catch {
      // Refused below like every other unknown name.
    }
  }
  throw new ToolFailed(
    'unknown_timezone',
    `${JSON.stringify(name)} is no IANA time zone: use one such as Europe/Berlin`,
  )
}

/** @returns such as 2026-03-29T03:00:00+02:00 */
function isoIn(now: Date, { exact }: Zone): string {
  const part = new Map(exact.formatToParts(now).map(({ type, value }) => [type, value]))
  const date = `${part.get('year')}-${part.get('month')}-${part.get('day')}`
  const offset = part.get('timeZoneName')?.replace('GMT', '') || '+00:00'
  return `${date}T${part.get('hour')}:${part.get('minute')}:${part.get('second')}${offset}`
}

function inWords(now: Date, { name, date, time }: Zone): string {
  return `${date.format(now)}, ${time.format(now)}, ${name}`
}
