/** `GET /v1/admin/log`: the newest matching lines of the log of all nodes, or those behind a place in it. */
import { z } from 'zod'
import { admin } from '../../access.ts'
import { route } from '../../route.ts'
import { nodeFilter, nodesOf } from '../nodes/node-filter.ts'
import { cursorText, LogCursor } from './cursor.ts'
import { LogLine, logFilter, tailOf } from './lines.ts'
import { joinedPage } from './of-nodes.ts'
import { linesMax } from './page.ts'

export const readLog = route({
  method: 'GET',
  path: '/v1/admin/log',
  summary: 'Read the log',
  description:
    'Lines that each node keeps in memory, at most 10,000, in the order of their times, oldest first. With `after` those ' +
    'behind that place, else the newest. Secrets were removed when the lines were written.',
  tag: 'log',
  access: admin('log.read', { isInstallation: true }),
  query: z.object({
    ...logFilter,
    node: nodeFilter,
    after: LogCursor.optional().describe('cursor of an answer.'),
    limit: z.coerce.number().int().min(1).max(linesMax).default(200),
  }),
  answers: {
    200: z.object({
      items: z.array(LogLine),
      cursor: z.string().describe('For `after`, to continue from here.'),
      missed: z.int().describe('Lines after `after` that are no longer in memory.'),
      has_more: z.boolean().describe('With `after`: more lines match than the limit.'),
      silent_nodes: z.array(z.int()).describe('Nodes that did not answer within two seconds.'),
    }),
  },
  async handle({ app, query, signal }) {
    tailOf(app)
    const nodes = nodesOf(app.logOfNodes, query.node)
    const { lines, cursor, missed, hasMore, silent } = await joinedPage(
      app.logOfNodes,
      { ...query, nodes, after: query.after },
      signal,
    )
    return { items: lines, cursor: cursorText(cursor), missed, has_more: hasMore, silent_nodes: silent }
  },
})
