/** The models that a client may name, as the chat-completions convention lists them. */
import { z } from 'zod'
import type { Settings } from '../../config/settings.ts'
import { demonstrationModelName } from '../../models/demonstration.ts'
import { key } from '../access.ts'
import { route } from '../route.ts'

const Model = z.object({ id: z.string(), object: z.literal('model'), created: z.int(), owned_by: z.string() })

export const listModels = route({
  method: 'GET',
  path: '/v1/models',
  summary: 'List models',
  tag: 'chat',
  access: key('chat'),
  answers: { 200: z.object({ object: z.literal('list'), data: z.array(Model) }) },
  handle: ({ app }) => ({
    object: 'list',
    data: names(app.settings).map((id) => ({ id, object: 'model', created: 0, owned_by: 'service' })),
  }),
})

/** Empty where an endpoint is set and no model: then every name is the endpoint's to judge. */
function names(settings: Settings): string[] {
  if (settings.get('SERVICE_LLM_GATEWAY_URL') === '') return [demonstrationModelName]
  const configured = settings.get('SERVICE_LLM_MODEL')
  return configured === '' ? [] : [configured]
}
