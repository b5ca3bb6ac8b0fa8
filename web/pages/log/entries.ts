/** The lines that the page holds, in order, and what stands between them: gaps and restarts. Never more than a bound. */
import type { Answer } from '../../api/types.ts'

export type LogLine = Answer<'GET /v1/admin/log'>['items'][number]

export type Entry =
  | { is: 'line'; key: string; line: LogLine }
  | { is: 'missed'; key: string; lines: number }
  | { is: 'restarted'; key: string }

/** As many as the service keeps. */
const entriesMax = 10_000
/** While somebody reads further up nothing is taken away above them; at this many nothing more is asked for. */
export const entriesHeldMax = 20_000

export const lineEntry = (process: string, line: LogLine): Entry => ({ is: 'line', key: `${process}-${line.id}`, line })

/** @param mayTrim false: somebody reads, and what they read stays where it is */
export function withMore(entries: readonly Entry[], more: readonly Entry[], mayTrim: boolean): readonly Entry[] {
  if (more.length === 0 && !(mayTrim && entries.length > entriesMax)) return entries
  const all = [...entries, ...more]
  return all.slice(mayTrim ? -entriesMax : -entriesHeldMax)
}

/** As the service wrote it: one JSON object a line. */
export function textOf(entries: readonly Entry[]): string {
  return entries.flatMap((entry) => (entry.is === 'line' ? [`${JSON.stringify(flat(entry.line))}\n`] : [])).join('')
}

const flat = ({ time, level, msg, fields }: LogLine) => ({ time, level, msg, ...fields })
