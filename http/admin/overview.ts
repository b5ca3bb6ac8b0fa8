/** `GET /v1/admin/overview`: counts of the workspace, and the health of the service. */
import { z } from 'zod'
import { leaseMs } from '../../runtime/nodes/leases.ts'
import { endpointsRefusingKey } from '../../store/alerts/readings.ts'
import { firstWorkspaceId } from '../../store/id.ts'
import { isLiving, listNodes } from '../../store/nodes/nodes.ts'
import { countAll, countedMax } from '../../store/signals/overview.ts'
import { turnStatuses } from '../../store/turns/status.ts'
import { admin, isPermitted, type Principal } from '../access.ts'
import type { App } from '../app.ts'
import { route } from '../route.ts'
import type { NodeLoad } from './nodes/loads.ts'

const windowMs = 86_400_000

const dispositions = ['pending', 'sending', 'delivered', 'failed', 'undeliverable', 'cancelled'] as const

const Overview = z.object({
  counts: z.object({
    conversations: z.int(),
    messages: z.int().describe('In the counted conversations.'),
    channels: z.int(),
    api_keys: z.int().describe('Neither revoked nor expired.'),
    turns_last_24h: z.record(z.enum(turnStatuses), z.int()).describe('Begun in the last 24 hours, by status.'),
    deliveries: z
      .record(z.enum(dispositions), z.int())
      .describe('pending, sending and failed: all; the others: created in the last 24 hours.'),
  }),
  at_least: z
    .array(z.enum(['conversations', 'messages', 'turns', 'deliveries']))
    .describe(`There are more of these: at most the newest ${countedMax} rows are counted.`),
  queue: z
    .object({
      waiting: z.int(),
      running: z.int(),
      silent_nodes: z.int().describe('Nodes that live and did not answer within a second: theirs are not counted.'),
    })
    .describe('Turns at all nodes, of all workspaces.'),
  health: z.object({
    ready: z.boolean(),
    database: z.enum(['up', 'down']),
    schema: z.enum(['ready', 'pending', 'newer', 'unknown']),
    draining: z.boolean(),
  }),
  key_refused_by: z
    .array(z.string())
    .describe(
      'Model endpoints that refused the key of the service at their last calls, within the last hour. For those who may read model endpoints; for others empty.',
    ),
  version: z.string(),
  at: z.iso.datetime(),
})

export const overview = route({
  method: 'GET',
  path: '/v1/admin/overview',
  summary: 'Counts and health',
  tag: 'overview',
  access: admin('overview.read'),
  answers: { 200: Overview },
  async handle({ app, principal }) {
    const now = app.clock.now()
    const [counts, readiness, loads, key_refused_by] = await Promise.all([
      countAll(app.db, principal.workspaceId, new Date(now - windowMs)),
      app.ready(),
      loadsOfLiving(app),
      mayReadEndpoints(principal) ? endpointsRefusingKey(app.db) : [],
    ])
    const answered = loads.filter((load) => load !== undefined)
    return {
      counts: {
        conversations: counts.conversations,
        messages: counts.messages,
        channels: counts.channels,
        api_keys: counts.apiKeys,
        turns_last_24h: filled(turnStatuses, counts.turns),
        deliveries: filled(dispositions, counts.deliveries),
      },
      at_least: counts.atLeast,
      queue: {
        waiting: sum(answered.map(({ waiting }) => waiting)),
        running: sum(answered.map(({ turns }) => turns)),
        silent_nodes: loads.length - answered.length,
      },
      health: {
        ready: readiness.isReady,
        database: readiness.database,
        schema: readiness.schema,
        draining: readiness.isDraining,
      },
      key_refused_by,
      version: app.version,
      at: new Date(now).toISOString(),
    }
  },
})

const mayReadEndpoints = (principal: Principal): boolean =>
  principal.workspaceId === firstWorkspaceId && isPermitted(principal, admin('models.read', { isInstallation: true }))

async function loadsOfLiving({ db, nodes }: App): Promise<(NodeLoad | undefined)[]> {
  const living = (await listNodes(db, leaseMs)).filter(isLiving)
  return await Promise.all(living.map(({ epoch }) => nodes.of(epoch)))
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)

/** With every name, so that clients get zeros for what there is none of. */
function filled(names: readonly string[], counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, counts[name] ?? 0]))
}
