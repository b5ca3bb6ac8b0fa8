/** `GET /v1/admin/log`: the newest matching lines of the log, or those after a line. */
import { z } from 'zod'
import type { TailLine } from '../../../runtime/log/tail.ts'
import { admin } from '../../access.ts'
import { route } from '../../route.ts'
import { filterOf, LogLine, logFilter, logLine, processName, tailOf } from './lines.ts'

const linesMax = 1_000
/** Lines that are filtered in one turn of the loop. */
const pieceLines = 1_000

export const readLog = route({
  method: 'GET',
  path: '/v1/admin/log',
  summary: 'Read the log',
  description:
    'Lines that this process keeps in memory, at most 10,000, oldest first. With `after` those after that line, else the ' +
    'newest. Secrets were removed when the lines were written.',
  tag: 'log',
  access: admin('log.read', { isInstallation: true }),
  query: z.object({
    ...logFilter,
    after: z.coerce.number().int().min(0).optional().describe('The id of a line, exclusive.'),
    limit: z.coerce.number().int().min(1).max(linesMax).default(200),
  }),
  answers: {
    200: z.object({
      process: z.string().describe('If it differs, the service was restarted, and ids count from 1 again.'),
      items: z.array(LogLine),
      newest_id: z.int().describe('For `after`, to continue from here.'),
      missed: z.int().describe('Lines after `after` that are no longer in memory.'),
      has_more: z.boolean().describe('With `after`: more lines match than the limit.'),
    }),
  },
  async handle({ app, query, signal }) {
    const tail = tailOf(app)
    const passes = filterOf(query)
    const { after, limit } = query
    const newest = tail.newestSeq
    const found: TailLine[] = []
    let missed = 0
    let at = after ?? 0
    while (at < newest && !(after !== undefined && found.length > limit)) {
      signal.throwIfAborted()
      const page = tail.since(at, Math.min(pieceLines, newest - at))
      if (at === after) missed = page.missed
      at = page.lines.at(-1)?.seq ?? newest
      found.push(...page.lines.filter(passes))
      if (after === undefined && found.length > limit) found.splice(0, found.length - limit)
      await new Promise(setImmediate)
    }
    const hasMore = after !== undefined && found.length > limit
    const items = found.slice(0, limit).map(logLine)
    const upTo = hasMore ? (items.at(-1)?.id ?? newest) : newest
    return { process: processName, items, newest_id: upTo, missed, has_more: hasMore }
  },
})
