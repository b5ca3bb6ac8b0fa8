/** `GET /v1/admin/channel-adapters`: the kinds of channel, each with the fields of its form. */
import { z } from 'zod'
import { adapters } from '../../../actors/channel/adapters.ts'
import { FormField, FormSecret, formFields, formSecrets, Translated } from '../../../actors/channel/form.ts'
import { admin } from '../../access.ts'
import { route } from '../../route.ts'

const AdapterView = z.object({
  name: z.string(),
  title: Translated,
  summary: z.string(),
  fields: z.array(FormField).describe('Of the configuration, in the order of the form.'),
  secrets: z.array(FormSecret),
})

/** Computed once: adapters do not change while the service runs. */
const items: z.infer<typeof AdapterView>[] = Array.from(adapters.values(), (adapter) => ({
  name: adapter.name,
  title: adapter.title,
  summary: adapter.summary,
  fields: formFields(adapter.config),
  secrets: formSecrets(adapter.secrets),
}))

export const listAdapters = route({
  method: 'GET',
  path: '/v1/admin/channel-adapters',
  summary: 'List the kinds of channel',
  description: 'With the fields of their configuration, from which the admin UI draws its form.',
  tag: 'channels',
  access: admin('channels.read'),
  answers: { 200: z.object({ items: z.array(AdapterView) }) },
  handle: () => ({ items }),
})
