/** The lines in the page, in order, with gaps and restarts between them; bounded. */
import type { Answer } from '../../api/types.ts'

export type LogLine = Answer<'GET /v1/admin/log'>['items'][number]

export type Entry =
  | { is: 'line'; key: string; line: LogLine }
  | { is: 'missed'; key: string; lines: number }
  | { is: 'started'; key: string; node: number }

/** As many as the service stores in memory. */
const entriesMax = 10_000
/** While the operator reads further up, no line above is dropped; at this number loading stops. */
export const entriesWhileReadingMax = 20_000

export const lineEntry = (line: LogLine): Entry => ({ is: 'line', key: `${line.node}-${line.id}`, line })

/** @param mayTrim false: the operator reads further up, so the lines must not move */
export function withMore(entries: readonly Entry[], more: readonly Entry[], mayTrim: boolean): readonly Entry[] {
  if (more.length === 0 && !(mayTrim && entries.length > entriesMax)) return entries
  const all = [...entries, ...more]
  return all.slice(mayTrim ? -entriesMax : -entriesWhileReadingMax)
}

/** In the format of the service: one JSON object per line. */
export function textOf(entries: readonly Entry[]): string {
  return entries.flatMap((entry) => (entry.is === 'line' ? [`${JSON.stringify(flat(entry.line))}\n`] : [])).join('')
}

const flat = ({ node, time, level, msg, fields }: LogLine) => ({ time, level, node, msg, ...fields })
