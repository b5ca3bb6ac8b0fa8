/** `/v1/admin/media`: the files of the workspace, for operators. */
import { z } from 'zod'
import { MediaId } from '../../../store/id.ts'
import { listMedia, mediaUsage } from '../../../store/media/list.ts'
import { deleteMedia, findMedia, type MediaReach } from '../../../store/media/media.ts'
import { admin } from '../../access.ts'
import { notFound } from '../../error.ts'
import { MediaView, mediaOf, mediaView } from '../../media/access.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'

const tag = 'media'

const ListedMedia = MediaView.extend({
  owner: z.string().describe('Who uploaded it: `operator:`, `key:` or `sender:` and an id.'),
  used_by: z.array(z.string()).describe('Kinds of what uses it; while there is one it cannot be deleted.'),
})

export const listMediaRoute = route({
  method: 'GET',
  path: '/v1/admin/media',
  summary: 'List the files of the workspace',
  description: 'Newest first, uploads that have not ended included.',
  tag,
  access: admin('media.read'),
  query: z.object({
    limit: z.coerce.number().int().min(1).max(200).default(50),
    cursor: MediaId.optional().describe('next_cursor of the page before'),
    status: z.enum(['pending', 'ready']).optional(),
    q: z.string().min(1).max(200).optional().describe('A part of the name.'),
    type: z.string().min(1).max(100).optional().describe('The beginning of the type, such as `image/`.'),
  }),
  answers: { 200: z.object({ items: z.array(ListedMedia), next_cursor: MediaId.nullable() }) },
  async handle({ app, query, principal }) {
    const media = mediaOf(app)
    const { limit, cursor, status, q: text, type } = query
    const page = { before: cursor ?? null, limit: limit + 1, filter: { status, text, type } }
    const found = await listMedia(app.db, principal.workspaceId, page)
    const items = found.slice(0, limit).map((each) => ({
      ...mediaView(media, each, app.clock.now()),
      owner: each.owner,
      used_by: each.usedBy,
    }))
    return { items, next_cursor: found.length > limit ? (items.at(-1)?.id ?? null) : null }
  },
})

export const mediaUsageRoute = route({
  method: 'GET',
  path: '/v1/admin/media/usage',
  summary: 'How many files the workspace has, and how large they are',
  tag,
  access: admin('media.read'),
  answers: {
    200: z.object({
      files: z.int(),
      bytes: z.int(),
      quota_bytes: z.int().nullable().describe('SERVICE_MEDIA_QUOTA_MB; null: no limit.'),
    }),
  },
  async handle({ app, principal }) {
    const quotaBytes = mediaOf(app).quotaBytes()
    return { ...(await mediaUsage(app.db, principal.workspaceId)), quota_bytes: quotaBytes === 0 ? null : quotaBytes }
  },
})

export const deleteAnyMediaRoute = route({
  method: 'POST',
  path: '/v1/admin/media/delete',
  summary: 'Delete a file',
  description: 'Refused with 409 `media_in_use` while a message or something else uses it.',
  tag,
  access: admin('media.write'),
  body: z.strictObject({ media_id: MediaId }),
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle(call) {
    const { app, body, principal } = call
    mediaOf(app)
    const reach: MediaReach = { workspaceId: principal.workspaceId, owner: null, conversationId: null }
    const media = await findMedia(app.db, reach, body.media_id)
    if (!media || !(await deleteMedia(app.db, media, auditActor(call)))) throw notFound('There is no such file.')
    return { ok: true }
  },
})
