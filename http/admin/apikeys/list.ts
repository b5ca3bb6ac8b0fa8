/** `GET /v1/admin/apikeys`: the keys of the workspace, newest first, including revoked ones. */
import { z } from 'zod'
import { listApiKeys } from '../../../store/api-keys.ts'
import { ApiKeyId } from '../../../store/id.ts'
import { admin } from '../../access.ts'
import { route } from '../../route.ts'
import { ApiKeyView, viewOf } from './key-view.ts'

export const listKeys = route({
  method: 'GET',
  path: '/v1/admin/apikeys',
  summary: 'List API keys',
  tag: 'api keys',
  access: admin('keys.read'),
  query: z.object({
    limit: z.coerce.number().int().min(1).max(200).default(50),
    cursor: ApiKeyId.optional().describe('next_cursor of the page before'),
  }),
  answers: { 200: z.object({ items: z.array(ApiKeyView), next_cursor: ApiKeyId.nullable() }) },
  async handle({ app, query, principal }) {
    // One more than requested, to see whether there is another page.
    const keys = await listApiKeys(app.db, principal.workspaceId, {
      before: query.cursor ?? null,
      limit: query.limit + 1,
    })
    const items = keys.slice(0, query.limit).map(viewOf)
    return { items, next_cursor: keys.length > query.limit ? (items.at(-1)?.id ?? null) : null }
  },
})
