/** The models that a client may name, as the chat-completions convention lists them. */
import { z } from 'zod'
import { key } from '../access.ts'
import { route } from '../route.ts'

/** What answers while no endpoint is configured. */
const demonstrationModel = 'demo'

const Model = z.object({ id: z.string(), object: z.literal('model'), created: z.int(), owned_by: z.string() })

export const listModels = route({
  method: 'GET',
  path: '/v1/models',
  summary: 'List models',
  tag: 'chat',
  access: key('chat'),
  answers: { 200: z.object({ object: z.literal('list'), data: z.array(Model) }) },
  handle({ app }) {
    const configured = app.settings.get('SERVICE_LLM_MODEL')
    const id = configured === '' ? demonstrationModel : configured
    return { object: 'list', data: [{ id, object: 'model', created: 0, owned_by: 'service' }] }
  },
})
