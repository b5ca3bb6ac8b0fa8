/** `/v1/media/{id}`: what is known of an upload, and its end. */
import { z } from 'zod'
import { deleteMedia } from '../../store/media/media.ts'
import { web } from '../access.ts'
import { auditActor } from '../admin/audit-actor.ts'
import { notFound } from '../error.ts'
import { route } from '../route.ts'
import { MediaParams, MediaView, mediaOf, mediaView, readMedia } from './access.ts'

const shared = { path: '/v1/media/:id', tag: 'media', access: web('chat.use'), params: MediaParams } as const

export const readMediaRoute = route({
  ...shared,
  method: 'GET',
  summary: 'Read what is known of an upload',
  answers: { 200: MediaView },
  async handle({ app, params, principal }) {
    return mediaView(mediaOf(app), await readMedia(app, principal, params.id), app.clock.now())
  },
})

export const deleteMediaRoute = route({
  ...shared,
  method: 'DELETE',
  summary: 'Delete an upload and its file',
  description: 'Refused with 409 `media_in_use` while a message or something else uses it.',
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle(call) {
    const { app } = call
    mediaOf(app)
    const media = await readMedia(app, call.principal, call.params.id)
    if (!(await deleteMedia(app.db, media, auditActor(call)))) throw notFound('There is no such file.')
    return { ok: true }
  },
})
