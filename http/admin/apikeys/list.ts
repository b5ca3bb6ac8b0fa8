/** `GET /v1/admin/apikeys`, and one of them: the keys of the workspace, newest first, including revoked ones. */
import { z } from 'zod'
import { keyStates, listApiKeys, readApiKey } from '../../../store/api-keys/reads.ts'
import { ApiKeyId } from '../../../store/id.ts'
import { scopes } from '../../../store/scopes.ts'
import { admin } from '../../access.ts'
import { beginningOfKey } from '../../auth/key-text.ts'
import { notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { ApiKeyView, viewOf } from './key-view.ts'

const shared = { tag: 'api keys', access: admin('keys.read'), method: 'GET' } as const

export const listKeys = route({
  ...shared,
  path: '/v1/admin/apikeys',
  summary: 'List API keys',
  query: z.object({
    limit: z.coerce.number().int().min(1).max(200).default(50),
    cursor: ApiKeyId.optional().describe('next_cursor of the page before'),
    q: z
      .string()
      .trim()
      .max(100)
      .default('')
      .transform(beginningOfKey)
      .describe(
        'In the name or in the first characters of the key, in any case; of a whole key only those are looked at.',
      ),
    state: z.enum(keyStates).optional(),
    scope: z.enum(scopes).optional().describe('Only keys with this scope itself.'),
  }),
  answers: { 200: z.object({ items: z.array(ApiKeyView), next_cursor: ApiKeyId.nullable() }) },
  async handle({ app, query, principal }) {
    const { limit, cursor = null, q, state, scope } = query
    // One more than requested, to see whether there is another page.
    const page = { before: cursor, limit: limit + 1 }
    const keys = await listApiKeys(app.db, principal.workspaceId, page, { text: q, state, scope })
    const items = keys.slice(0, limit).map(viewOf)
    return { items, next_cursor: keys.length > limit ? (items.at(-1)?.id ?? null) : null }
  },
})

export const readKey = route({
  ...shared,
  path: '/v1/admin/apikeys/:key_id',
  summary: 'Read an API key',
  params: z.object({ key_id: ApiKeyId }),
  answers: { 200: ApiKeyView },
  async handle({ app, params, principal }) {
    const key = await readApiKey(app.db, principal.workspaceId, params.key_id)
    if (!key) throw notFound('There is no such key.', 'key_id')
    return viewOf(key)
  },
})
