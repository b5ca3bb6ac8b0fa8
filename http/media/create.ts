/** `POST /v1/media`: announces an upload. Its bytes follow. */
import { z } from 'zod'
import { MediaId, newMediaId } from '../../store/id.ts'
import { createMedia, mediaLimits } from '../../store/media/media.ts'
import { web } from '../access.ts'
import { reply } from '../answer.ts'
import { ApiError } from '../error.ts'
import { route } from '../route.ts'
import { mediaOf } from './access.ts'

/** A name, not a path; what is not shown in a name is refused. */
const Filename = z
  .string()
  .trim()
  .min(1)
  .max(mediaLimits.filenameMax)
  .refine(
    (name) => !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069/\\]/u.test(name),
    'must be a name without slashes, line ends and marks that control how it is shown',
  )

export const createMediaRoute = route({
  method: 'POST',
  path: '/v1/media',
  summary: 'Announce an upload',
  description:
    'The answer says where its bytes go: by PUT as a whole, or by PATCH in pieces as tus 1.0 has it, for which `bytes` is needed. ' +
    'What is declared is checked when they have come. An upload that has not ended after 24 hours is forgotten.',
  tag: 'media',
  access: web('chat.use'),
  body: z.strictObject({
    filename: Filename,
    content_type: z
      .string()
      .max(255)
      .regex(/^[\w.+-]+\/[\w.+-]+(?:\s*;.*)?$/, 'must be a type such as image/png')
      .optional(),
    bytes: z.int().min(0).optional(),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/i, 'must be 64 hexadecimal digits')
      .optional(),
    purpose: z
      .string()
      .min(1)
      .max(64)
      .regex(/^[a-z][a-z0-9_]*$/)
      .optional(),
  }),
  answers: {
    201: z.object({
      id: MediaId,
      status: z.literal('pending'),
      upload: z.object({
        method: z.literal('PUT'),
        url: z.string().describe('Signed: for whoever has it. A path where SERVICE_PUBLIC_URL is blank.'),
        headers: z.record(z.string(), z.string()),
        expires_at: z.iso.datetime(),
      }),
      max_bytes: z.int(),
    }),
  },
  async handle({ app, body, principal }) {
    const { urls, bytesMax, quotaBytes, urlTtlMs } = mediaOf(app)
    const max = bytesMax()
    if ((body.bytes ?? 0) > max)
      throw new ApiError('body_too_large', `A file has at most ${max} bytes.`, { param: 'bytes' })
    const id = newMediaId()
    await createMedia(
      app.db,
      {
        ...{ id, workspaceId: principal.workspaceId, owner: principal.owner },
        conversationId: principal.conversationId ?? null,
        filename: body.filename,
        purpose: body.purpose ?? null,
        declaredType: body.content_type ?? null,
        declaredBytes: body.bytes ?? null,
        declaredSha256: body.sha256?.toLowerCase() ?? null,
      },
      quotaBytes(),
    )
    const expiresAtMs = app.clock.now() + urlTtlMs()
    return reply(201, {
      ...{ id, status: 'pending' },
      upload: {
        ...{ method: 'PUT', url: urls.sign('upload', id, expiresAtMs), headers: {} },
        expires_at: new Date(expiresAtMs).toISOString(),
      },
      max_bytes: max,
    })
  },
})
