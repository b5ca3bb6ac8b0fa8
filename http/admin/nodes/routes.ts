/** `/v1/admin/nodes`: the processes of the service on this database. */
import { z } from 'zod'
import { leaseMs } from '../../../runtime/nodes/leases.ts'
import { askToDrain, isLiving, type ListedNode, listedNodesMax, listNodes } from '../../../store/nodes/nodes.ts'
import { admin } from '../../access.ts'
import { notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { NodeLoad } from './loads.ts'

const tag = 'nodes'

const NodeView = z.object({
  node: z.int().describe('The number of its start: later ones are larger.'),
  host: z.string().nullable(),
  pid: z.int(),
  version: z.string(),
  started_at: z.iso.datetime(),
  state: z.enum(['running', 'draining', 'stopped', 'lost']),
  silent_ms: z.int().describe("Since it last said that it lives, by the database's clock."),
  slots: z.int().describe('Of 256: the share of conversations and channels that are its own.'),
  load: NodeLoad.nullable().describe('Null: it has gone, or does not answer within a second.'),
})

export const listNodesRoute = route({
  method: 'GET',
  path: '/v1/admin/nodes',
  summary: 'List the nodes',
  description:
    'The processes on this database: those that live, and those that have gone within a day, each newest first.',
  tag,
  access: admin('nodes.read', { isInstallation: true }),
  answers: {
    200: z.object({
      this_node: z.int().describe('The one that answers.'),
      items: z.array(NodeView).max(listedNodesMax),
    }),
  },
  async handle({ app }) {
    const nodes = await listNodes(app.db, leaseMs)
    const items = await Promise.all(
      nodes.map(async (node) => nodeView(node, isLiving(node) ? await app.nodes.of(node.epoch) : undefined)),
    )
    return { this_node: app.nodes.node, items }
  },
})

export const drainNodeRoute = route({
  method: 'POST',
  path: '/v1/admin/nodes/drain',
  summary: 'Drain a node',
  description:
    'It hands over what is its own as soon as nothing runs in it, and ends as at SIGTERM. Whoever started it decides whether it ' +
    'is started again. Asked twice it is the same. For owners, and keys with the scope `*`.',
  tag,
  access: admin('nodes.write', { isDangerous: true, isInstallation: true }),
  body: z.strictObject({ node: z.int().min(1) }),
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle(call) {
    const { app, body } = call
    if (!(await askToDrain(app.db, body.node, auditActor(call)))) throw notFound(`No node ${body.node} lives.`, 'node')
    return { ok: true }
  },
})

function nodeView(node: ListedNode, load: NodeLoad | undefined): z.infer<typeof NodeView> {
  const { epoch, host, pid, version, startedAt, state, silentMs, slots } = node
  const view = {
    node: epoch,
    host,
    pid,
    version,
    started_at: startedAt.toISOString(),
    state,
    silent_ms: silentMs,
    slots,
  }
  return { ...view, load: load ?? null }
}
