/** The models and agents that a client may name, in the form of OpenAI's API. */
import { z } from 'zod'
import { defaultEndpoint } from '../../models/endpoints/named-endpoint.ts'
import { key, type Principal } from '../access.ts'
import type { App } from '../app.ts'
import { ApiError } from '../error.ts'
import { route } from '../route.ts'

const Model = z.object({ id: z.string(), object: z.literal('model'), created: z.int(), owned_by: z.string() })
type Model = z.infer<typeof Model>

export const listModels = route({
  method: 'GET',
  path: '/v1/models',
  summary: 'List models and agents',
  tag: 'chat',
  access: key('chat'),
  answers: { 200: z.object({ object: z.literal('list'), data: z.array(Model) }) },
  handle: ({ app, principal }) => ({ object: 'list' as const, data: modelsOf(app, principal) }),
})

export const readModel = route({
  method: 'GET',
  path: '/v1/models/:model*',
  summary: 'Read a model or agent',
  description:
    'Where the first endpoint has no model of its own, any name is one: it judges it when it is asked. Slashes of a name may be ' +
    'written as they are, or as %2F.',
  tag: 'chat',
  access: key('chat'),
  params: z.object({ model: z.string().max(256) }),
  answers: { 200: Model },
  handle({ app, principal, params }) {
    const { model: name } = params
    const model = modelsOf(app, principal).find(({ id }) => id === name)
    if (!model && app.models.takesAnyName) return { id: name, object: 'model', created: 0, owned_by: 'endpoint' }
    if (!model)
      throw new ApiError('not_found', `There is no model ${name}.`, {
        param: 'model',
        named: { code: 'model_not_found' },
      })
    return model
  },
})

function modelsOf({ services, models: endpoints }: App, { workspaceId }: Principal): Model[] {
  const agents = services.agents.list(workspaceId)
  const agentNames = new Set(agents.map(({ name }) => name))
  // Where an agent and a model share a name, the name means the agent.
  const models = endpoints.offered().filter(({ name }) => !agentNames.has(name))
  return [
    ...models.map(({ name: id, endpoint }): Model => {
      return { id, object: 'model', created: 0, owned_by: endpoint === defaultEndpoint ? 'service' : endpoint }
    }),
    ...agents.map(({ name: id, createdAt }): Model => {
      const created = Math.floor(createdAt.getTime() / 1_000)
      return { id, object: 'model', created, owned_by: 'agent' }
    }),
  ]
}
