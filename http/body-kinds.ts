/** What a route can ask its body to be, besides JSON. */
import { z } from 'zod'
import { BodyStream } from './server/body-stream.ts'

/**
 * json: parsed, then checked by `body`. form: URL-encoded fields as a flat record of texts, then checked by `body`. raw: the
 * bytes (`body: rawBody`). stream: read while it comes (`body: streamedBody`); the handler begins before it has all come.
 */
export type BodyKind = 'json' | 'form' | 'raw' | 'stream'

export const rawBody = z.custom<Buffer>((value) => Buffer.isBuffer(value))
export const streamedBody = z.custom<AsyncIterable<Buffer>>((value) => value instanceof BodyStream)
