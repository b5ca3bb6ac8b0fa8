/** `GET /v1/files/{id}`: a file, whole or in part. Nothing that is served here runs in a browser. */
import { z } from 'zod'
import { isInline, unknownType } from '../../store/media/content-type.ts'
import type { Media } from '../../store/media/media.ts'
import { signed, web } from '../access.ts'
import { file, reply } from '../answer.ts'
import { ApiError, notFound } from '../error.ts'
import { route } from '../route.ts'
import { MediaParams, mediaOf, readMedia } from './access.ts'
import { rangeOf } from './ranges.ts'

const urlTtlMaxS = 86_400

const shownType = (contentType: string | null): string =>
  contentType !== null && isInline(contentType) ? contentType : unknownType

/** Only what a browser shows as it is has its type; whatever could run comes as bytes to be saved. */
function safeHeaders({ filename, contentType, sha256 }: Media): Record<string, string> {
  const isShown = shownType(contentType) !== unknownType
  return {
    'accept-ranges': 'bytes',
    'cache-control': 'private, max-age=3600',
    'content-disposition': `${isShown ? 'inline' : 'attachment'}; filename*=UTF-8''${encoded(filename)}`,
    'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    etag: `"${sha256}"`,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
}

/** RFC 8187. */
const encoded = (filename: string): string =>
  encodeURIComponent(filename).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

export const readFile = route({
  method: 'GET',
  path: '/v1/files/:id',
  summary: 'Download a file',
  description:
    'With a credential, or by its signed address. Pictures, sound and video are shown as they are; all else is a download of bytes ' +
    'without a type. Range with one range and If-Range, If-None-Match with the strong ETag.',
  tag: 'media',
  access: signed('read'),
  params: MediaParams,
  headers: ['range', 'if-range', 'if-none-match'],
  answers: {
    200: { contentType: '*/*', description: 'The file.' },
    206: { contentType: '*/*', description: 'The part of it that Range names.' },
    304: { description: 'The client has it.' },
  },
  async handle(call) {
    const { app } = call
    const { blobs } = mediaOf(app)
    const media = await readMedia(app, call.principal, call.params.id)
    const { bytes, sha256 } = media
    if (bytes === null || sha256 === null) throw notFound('The upload of this file has not ended.')
    const headers = safeHeaders(media)
    const etag = headers['etag'] ?? ''
    const known = call.header('if-none-match')
    if (known === '*' || known.split(',').some((tag) => tag.trim() === etag)) return reply(304, undefined, headers)
    const isSame = call.header('if-range') === '' || call.header('if-range') === etag
    const range = isSame ? rangeOf(call.header('range'), bytes) : undefined
    if (range === 'unsatisfiable')
      throw new ApiError('range_not_satisfiable', `The file has ${bytes} bytes.`, {
        headers: { 'content-range': `bytes */${bytes}` },
      })
    await blobs.check(sha256, bytes)
    const { from, until } = range ?? { from: 0, until: bytes }
    return file({
      status: range ? 206 : 200,
      contentType: shownType(media.contentType),
      bytes: until - from,
      headers: range ? { ...headers, 'content-range': `bytes ${from}-${until - 1}/${bytes}` } : headers,
      async *pieces() {
        const sent = app.metrics.counter('service_media_bytes_total')
        for await (const piece of blobs.read(sha256, from, until)) {
          sent.inc({ way: 'out' }, piece.length)
          yield piece
        }
      },
    })
  },
})

export const signFile = route({
  method: 'POST',
  path: '/v1/files/:id/url',
  summary: 'Make a signed address of a file',
  description: 'Whoever has it reads the file until it expires, in at most a day.',
  tag: 'media',
  access: web('chat.use'),
  params: MediaParams,
  body: z.strictObject({ ttl_s: z.int().min(1).max(urlTtlMaxS).optional() }),
  answers: { 200: z.object({ url: z.string(), expires_at: z.iso.datetime() }) },
  async handle({ app, body, params, principal }) {
    const { urls, urlTtlMs } = mediaOf(app)
    const media = await readMedia(app, principal, params.id)
    if (media.status !== 'ready') throw notFound('The upload of this file has not ended.')
    const expiresAtMs = app.clock.now() + (body.ttl_s === undefined ? urlTtlMs() : body.ttl_s * 1_000)
    return { url: urls.sign('read', media.id, expiresAtMs), expires_at: new Date(expiresAtMs).toISOString() }
  },
})
