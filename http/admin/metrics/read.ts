/** `GET /v1/admin/metrics`: all metrics of one node or of all, for a scraper that has a key. */
import { z } from 'zod'
import { leaseMs } from '../../../runtime/nodes/leases.ts'
import { isLiving, listNodes } from '../../../store/nodes/nodes.ts'
import { admin } from '../../access.ts'
import { raw } from '../../answer.ts'
import { notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { nodeFilter } from '../nodes/node-filter.ts'
import { joinedMetrics } from './of-nodes.ts'

export const readMetrics = route({
  method: 'GET',
  path: '/v1/admin/metrics',
  summary: 'Read the metrics of nodes',
  description:
    'Those of `/metrics` and those that are pushed by OTLP, each with the label `node`. A node that does not answer within a ' +
    'second has only `service_node_up` 0. What is counted in the database, as pending deliveries are, is the same at each node.',
  tag: 'nodes',
  access: admin('nodes.read', { isInstallation: true }),
  isAnsweredWhileDraining: true,
  query: z.object({
    node: nodeFilter,
  }),
  answers: { 200: { contentType: 'text/plain', description: 'Prometheus text exposition format' } },
  async handle({ app, query }) {
    const nodes = await listNodes(app.db, leaseMs)
    const living = nodes.filter(isLiving).map(({ epoch }) => epoch)
    const chosen = query.node === 'all' ? living : living.filter((node) => node === query.node)
    if (chosen.length === 0) throw notFound(`No node ${query.node} lives.`, 'node')
    const texts = await Promise.all(chosen.map(async (node) => [node, await app.metricsOfNodes.of(node)] as const))
    return raw(200, app.metrics.public.contentType, joinedMetrics(new Map(texts)))
  },
})
