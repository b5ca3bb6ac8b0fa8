/** Lines of this process that pass a filter: the newest, or those behind a line. */
import { z } from 'zod'
import type { LogTail, TailLine } from '../../../runtime/log/tail.ts'
import { filterOf, LogLine, logFilter, logLine } from './lines.ts'

/** Lines that are filtered in one turn of the loop. */
const pieceLines = 1_000
/** Of one page; it has at least one line. */
const pageLengthMax = 4 * 1_048_576

export const linesMax = 1_000

export const PageQuestion = z.object({
  ...logFilter,
  /** Undefined: the newest lines. */
  after: z.int().min(0).optional(),
  limit: z.int().min(1).max(linesMax),
})
export type PageQuestion = z.infer<typeof PageQuestion>

export const NodePage = z.object({
  lines: z.array(LogLine.omit({ node: true })),
  /** Everything up to this line was looked at. */
  upTo: z.int(),
  /** Lines behind `after` that are no longer in memory. */
  missed: z.int(),
  /** Only with `after`: there are more that match. */
  hasMore: z.boolean(),
})
export type NodePage = z.infer<typeof NodePage>

export async function pageOfTail(tail: LogTail, question: PageQuestion, signal?: AbortSignal): Promise<NodePage> {
  const { after, limit } = question
  const passes = filterOf(question)
  const newest = tail.newestSeq
  const found: TailLine[] = []
  let missed = 0
  let at = Math.min(after ?? 0, newest)
  const first = at
  while (at < newest && !(after !== undefined && found.length > limit)) {
    signal?.throwIfAborted()
    const page = tail.since(at, Math.min(pieceLines, newest - at))
    if (at === first && after !== undefined) missed = page.missed
    at = page.lines.at(-1)?.seq ?? newest
    found.push(...page.lines.filter(passes))
    if (after === undefined && found.length > limit) found.splice(0, found.length - limit)
    await new Promise(setImmediate)
  }
  const chosen = after === undefined ? newestWithin(found) : firstWithin(found.slice(0, limit))
  const hasMore = after !== undefined && chosen.length < found.length
  return { lines: chosen.map(logLine), upTo: hasMore ? (chosen.at(-1)?.seq ?? newest) : newest, missed, hasMore }
}

function firstWithin(lines: TailLine[]): TailLine[] {
  let length = 0
  const fits: TailLine[] = []
  for (const line of lines) {
    length += line.line.length
    if (length > pageLengthMax && fits.length > 0) break
    fits.push(line)
  }
  return fits
}

const newestWithin = (lines: TailLine[]): TailLine[] => firstWithin(lines.toReversed()).reverse()
