/** The models and agents that a client may name, in the form of OpenAI's API. */
import { z } from 'zod'
import type { Settings } from '../../config/settings.ts'
import { chosenProvider } from '../../models/providers.ts'
import { key } from '../access.ts'
import { route } from '../route.ts'

const Model = z.object({ id: z.string(), object: z.literal('model'), created: z.int(), owned_by: z.string() })

export const listModels = route({
  method: 'GET',
  path: '/v1/models',
  summary: 'List models and agents',
  tag: 'chat',
  access: key('chat'),
  answers: { 200: z.object({ object: z.literal('list'), data: z.array(Model) }) },
  handle({ app, principal }) {
    const agents = app.services.agents.list(principal.workspaceId)
    const agentNames = new Set(agents.map(({ name }) => name))
    // Where an agent and a model share a name, the name means the agent.
    const models = names(app.settings).filter((name) => !agentNames.has(name))
    return {
      object: 'list',
      data: [
        ...models.map((id) => ({ id, object: 'model', created: 0, owned_by: 'service' })),
        ...agents.map(({ name: id, createdAt }) => {
          const created = Math.floor(createdAt.getTime() / 1_000)
          return { id, object: 'model', created, owned_by: 'agent' }
        }),
      ],
    }
  },
})

/** Empty where a provider is configured without a model: then the provider decides which names it accepts. */
function names(settings: Settings): string[] {
  const { model } = chosenProvider(settings)
  return model === '' ? [] : [model]
}
