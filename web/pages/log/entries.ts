/** The lines in the page, in order, with gaps and restarts between them; bounded. */
import type { Answer } from '../../api/types.ts'

export type LogLine = Answer<'GET /v1/admin/log'>['items'][number]

export type Entry =
  | { is: 'line'; key: string; line: LogLine }
  | { is: 'missed'; key: string; lines: number }
  /** At the time of its first line here. */
  | { is: 'started'; key: string; node: number; time: string }

/** As many as the service stores in memory. */
export const entriesMax = 10_000
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

/** Counted for the segments; of the lines that are loaded. */
export function countLevels(entries: readonly Entry[]): { warn: number; error: number } {
  const count = { warn: 0, error: 0 }
  for (const entry of entries) {
    if (entry.is !== 'line') continue
    if (entry.line.level === 'warn') count.warn++
    else if (entry.line.level === 'error' || entry.line.level === 'fatal') count.error++
  }
  return count
}

export function nodesOf(entries: readonly Entry[]): ReadonlySet<number> {
  const nodes = new Set<number>()
  for (const entry of entries) if (entry.is === 'line') nodes.add(entry.line.node)
  return nodes
}

export const linesOf = (entries: readonly Entry[]): number =>
  entries.reduce((sum, { is }) => sum + (is === 'line' ? 1 : 0), 0)
