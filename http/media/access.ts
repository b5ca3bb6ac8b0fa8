/** What the routes of media share: whether the feature is on, whose media a caller reaches, and how one looks. */
import { z } from 'zod'
import { MediaId } from '../../store/id.ts'
import { findMedia, findSignedMedia, type Media, type MediaReach } from '../../store/media/media.ts'
import type { Principal } from '../access.ts'
import type { App, MediaOfApp } from '../app.ts'
import { reachOf } from '../auth/conversation-reach.ts'
import { ApiError, notFound } from '../error.ts'

export const MediaParams = z.strictObject({ id: MediaId })

/** @throws ApiError 501 where SERVICE_BLOB_DIR is blank */
export function mediaOf(app: App): MediaOfApp {
  if (app.media) return app.media
  throw new ApiError('feature_disabled', 'Files are off: SERVICE_BLOB_DIR is blank.', { param: 'SERVICE_BLOB_DIR' })
}

/** Of a ticket: what was uploaded to its conversation. */
export const mediaReachOf = (principal: Principal): MediaReach => ({
  ...reachOf(principal),
  conversationId: principal.conversationId ?? null,
})

/** @param principal undefined: whoever has a signed address @throws ApiError 404 */
export async function readMedia(app: App, principal: Principal | undefined, id: MediaId): Promise<Media> {
  const media = principal ? await findMedia(app.db, mediaReachOf(principal), id) : await findSignedMedia(app.db, id)
  if (!media) throw notFound('There is no such file.')
  return media
}

export const MediaView = z.object({
  id: MediaId,
  status: z.enum(['pending', 'ready']),
  filename: z.string(),
  purpose: z.string().nullable(),
  content_type: z.string().nullable().describe('What the bytes are, by themselves; null until they are there.'),
  declared_type: z.string().nullable().describe('What the client called them: a note.'),
  bytes: z.int().nullable().describe('Null until they are there.'),
  sha256: z.string().nullable().describe('Hexadecimal; null until they are there.'),
  created_at: z.iso.datetime(),
  file: z
    .object({
      id: MediaId,
      url: z.string().describe('Signed: for whoever has it. A path where SERVICE_PUBLIC_URL is blank.'),
      expires_at: z.iso.datetime(),
    })
    .nullable()
    .describe('Where it is read from; null until it is ready.'),
})

export function mediaView({ urls, urlTtlMs }: MediaOfApp, media: Media, nowMs: number): z.infer<typeof MediaView> {
  const expiresAtMs = nowMs + urlTtlMs()
  return {
    id: media.id,
    status: media.status,
    filename: media.filename,
    purpose: media.purpose,
    content_type: media.contentType,
    declared_type: media.declaredType,
    bytes: media.bytes,
    sha256: media.sha256,
    created_at: media.createdAt.toISOString(),
    file:
      media.status === 'ready'
        ? {
            id: media.id,
            url: urls.sign('read', media.id, expiresAtMs),
            expires_at: new Date(expiresAtMs).toISOString(),
          }
        : null,
  }
}
