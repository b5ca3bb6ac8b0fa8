/** `GET /v1/admin/actors`: the supervision tree and the pools of a node, in pages. */
import { z } from 'zod'
import { admin } from '../../access.ts'
import { overloaded } from '../../error.ts'
import { route } from '../../route.ts'
import { nodeNumber, nodesOf } from '../nodes/node-filter.ts'
import { ActorPage, actorQuestion } from './page.ts'

export const listActors = route({
  method: 'GET',
  path: '/v1/admin/actors',
  summary: 'List the actors and pools of a node',
  description: 'Counts of every kind; with `kind` also the actors of that kind, oldest first. Of all workspaces.',
  tag: 'actors',
  access: admin('actors.read', { isInstallation: true }),
  query: z.object({
    ...actorQuestion,
    node: nodeNumber.optional().describe('The number of a node. Absent: the one that answers.'),
  }),
  answers: { 200: ActorPage.extend({ node: z.int().describe('The node whose they are.') }) },
  async handle({ app, query: { node = app.actorsOfNodes.node, ...question } }) {
    nodesOf(app.actorsOfNodes, node)
    const page = await app.actorsOfNodes.page(node, question)
    if (!page) throw overloaded(`Node ${node} does not answer; try again.`)
    return { ...page, node }
  },
})
