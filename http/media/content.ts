/** `/v1/media/{id}/content`: the bytes of an upload, as a whole by PUT, or in pieces in the words of tus 1.0. */
import { z } from 'zod'
import { Failure } from '../../runtime/failure.ts'
import type { Media } from '../../store/media/media.ts'
import type { Incoming, Received } from '../../store/media/uploads.ts'
import { signed } from '../access.ts'
import { reply } from '../answer.ts'
import type { App } from '../app.ts'
import { streamedBody } from '../body-kinds.ts'
import { ApiError, badRequest } from '../error.ts'
import { route } from '../route.ts'
import { MediaParams, MediaView, mediaOf, mediaView, readMedia } from './access.ts'
import { scanOf } from './scan.ts'

const tag = 'media'
/** The library ends a body that comes slower than some 16 KB/s. */
const uploadMs = 6 * 3_600_000

const tus = { 'tus-resumable': '1.0.0' }
/** So that a proxy or a browser never takes where an upload is from a cache. */
const uncached = { 'cache-control': 'no-store' }

const Offset = z.object({
  offset: z.int().describe('How many bytes have come.'),
  bytes: z.int().nullable().describe('How many will; null: not declared.'),
})

export const putContent = route({
  method: 'PUT',
  path: '/v1/media/:id/content',
  summary: 'Upload a file as a whole',
  description:
    'Needs Content-Length. A cut upload is begun anew, or gone on with by PATCH. At most SERVICE_MEDIA_MAX_UPLOAD_MB.',
  tag,
  access: signed('upload'),
  params: MediaParams,
  body: streamedBody,
  bodyKind: 'stream',
  bodyBytesMax: Number.MAX_SAFE_INTEGER,
  deadlineMs: uploadMs,
  headers: ['content-length'],
  answers: { 200: MediaView },
  async handle(call) {
    const { app, body } = call
    const media = await readMedia(app, call.principal, call.params.id)
    const length = call.header('content-length')
    if (length === '') throw new ApiError('length_required', 'Say how long the file is: Content-Length.')
    const { media: ready } = await receive(app, media, { pieces: body, offset: 0, totalBytes: Number(length) })
    if (!ready) throw badRequest('Fewer bytes came than Content-Length says.')
    return mediaView(mediaOf(app), ready, app.clock.now())
  },
})

export const patchContent = route({
  method: 'PATCH',
  path: '/v1/media/:id/content',
  summary: 'Go on with an upload',
  description:
    'As tus 1.0: Upload-Offset says where the bytes belong, the answer how many there are now. The size is that of `bytes` of ' +
    'POST /v1/media, or of Upload-Length. What has come before a cut counts.',
  tag,
  access: signed('upload'),
  params: MediaParams,
  body: streamedBody,
  bodyKind: 'stream',
  bodyTypes: ['application/offset+octet-stream'],
  bodyBytesMax: Number.MAX_SAFE_INTEGER,
  deadlineMs: uploadMs,
  headers: ['upload-offset', 'upload-length'],
  answers: { 204: { description: 'Upload-Offset says how many bytes there are now.' } },
  async handle(call) {
    const { app, body } = call
    const media = await readMedia(app, call.principal, call.params.id)
    const offset = wholeNumber(call.header('upload-offset'), 'Upload-Offset')
    const declared = call.header('upload-length')
    const totalBytes = media.declaredBytes ?? (declared === '' ? undefined : wholeNumber(declared, 'Upload-Length'))
    if (totalBytes === undefined)
      throw badRequest('Say how long the whole file is: bytes of POST /v1/media, or the header Upload-Length.')
    const received = await receive(app, media, { pieces: body, offset, totalBytes })
    return reply(204, undefined, { ...tus, 'upload-offset': String(received.offset) })
  },
})

export const readOffset = route({
  method: 'GET',
  path: '/v1/media/:id/content',
  summary: 'Where an upload stands',
  description: 'Also by HEAD, as tus 1.0 has it, in the headers Upload-Offset and Upload-Length.',
  tag,
  access: signed('upload'),
  params: MediaParams,
  answers: { 200: Offset },
  async handle({ app, params, principal }) {
    const { uploads } = mediaOf(app)
    const media = await readMedia(app, principal, params.id)
    const offset = media.bytes ?? (await uploads.received(media))
    const bytes = media.bytes ?? media.declaredBytes
    return reply(
      200,
      { offset, bytes },
      {
        ...tus,
        ...uncached,
        'upload-offset': String(offset),
        ...(bytes !== null && { 'upload-length': String(bytes) }),
      },
    )
  },
})

async function receive(
  app: App,
  media: Media,
  bytes: Pick<Incoming, 'pieces' | 'offset' | 'totalBytes'>,
): Promise<Received> {
  const { uploads, bytesMax, quotaBytes } = mediaOf(app)
  const bounds = { bytesMax: bytesMax(), quotaBytes: quotaBytes(), scan: scanOf(app) }
  try {
    const received = await uploads.receive(media, { ...bytes, ...bounds })
    app.metrics.counter('service_media_bytes_total').inc({ way: 'in' }, received.offset - bytes.offset)
    return received
  } catch (error) {
    if (error instanceof Failure) app.metrics.counter('service_media_refused_total').inc({ code: error.code })
    throw error
  }
}

function wholeNumber(text: string, header: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw badRequest(text === '' ? `The header ${header} is missing.` : `${header} must be a whole number of bytes.`)
}
