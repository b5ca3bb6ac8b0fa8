/** A small HTTP listener for the updates of the bot API. An update is answered with 200 after its commit. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Log } from '../../../../runtime/log/log.ts'
import type { Clock } from '../../../../runtime/time/clock.ts'
import { seconds } from '../../../../runtime/time/duration.ts'
import type { ListenAddress } from './config.ts'

const bodyBytesMax = 1_048_576
/** So much of a larger body is read and discarded before the connection is closed: a sender that still sends would not see the answer. */
const discardedBytesMax = 8 * 1_048_576
const connectionsMax = 256
/** Updates that are processed at once; more are answered with 503, and the bot API sends them again. */
const updatesMax = 128
/** Below the minute or so that the bot API waits. An update that is committed later is recognised when it comes again. */
const takeMs = seconds(30)

export interface WebhookListener {
  readonly port: number
  /** Rejects when the listener fails. */
  readonly lost: Promise<never>
  close(): Promise<void>
}

export interface Webhook {
  address: ListenAddress
  secret: string
  clock: Clock
  log: Log
  /** @throws where the update was not taken, so that the bot API sends it again */
  takeOnce(update: unknown): Promise<void>
}

/** @throws the socket's error, such as EADDRINUSE */
export async function listenForUpdates(webhook: Webhook): Promise<WebhookListener> {
  const { address, log } = webhook
  const answer = answering(webhook)
  const lost = Promise.withResolvers<never>()
  lost.promise.catch(() => undefined) // awaited later; until then it is not an unhandled rejection
  const server = createServer(
    { headersTimeout: seconds(10), requestTimeout: seconds(20), keepAliveTimeout: seconds(60) },
    (request, response) => {
      answer(request).then(
        ({ status, headers }) => end(request, response, status, headers),
        (error: unknown) => {
          log.warn({ err: error }, 'an update of the webhook was not taken; it is answered 500 and comes again')
          end(request, response, 500)
        },
      )
    },
  )
  server.maxConnections = connectionsMax
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(address.port, address.host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  server.on('error', lost.reject)
  const { port } = server.address() as AddressInfo
  let closed: Promise<void> | undefined
  log.info({ host: address.host, port }, 'the webhook listens')
  return {
    port,
    lost: lost.promise,
    close() {
      closed ??= new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
      return closed
    },
  }
}

interface Answer {
  status: number
  headers?: Record<string, string>
}

function answering({ secret, clock, takeOnce }: Webhook): (request: IncomingMessage) => Promise<Answer> {
  let updates = 0
  const expected = digestOf(secret)

  async function takeInTime(update: unknown): Promise<void> {
    const late = Promise.withResolvers<never>()
    const timer = clock.after(takeMs, () => late.reject(new Error(`not committed in ${takeMs / 1_000} s`)))
    updates++
    const taken = takeOnce(update).finally(() => updates--)
    try {
      await Promise.race([taken, late.promise])
    } finally {
      timer.cancel()
    }
  }

  return async (request) => {
    const token = request.headers['x-telegram-bot-api-secret-token']
    if (!timingSafeEqual(digestOf(String(token ?? '')), expected)) return { status: 401 }
    if (request.method !== 'POST') return { status: 405, headers: { allow: 'POST' } }
    if (updates >= updatesMax) return { status: 503, headers: { 'retry-after': '1' } }
    const body = await bodyOf(request)
    if (body === undefined) return { status: 413 }
    const update = updateIn(body)
    if (update === undefined) return { status: 400 }
    await takeInTime(update)
    return { status: 200 }
  }
}

/** Equal lengths, whatever was given. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Undefined: larger than allowed. */
function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  // Not `for await`: leaving that loop destroys the socket before it was answered.
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= bodyBytesMax) chunks.push(chunk)
      else if (bytes > discardedBytesMax) resolve(undefined)
      else chunks.length = 0
    })
    request.on('end', () => resolve(bytes > bodyBytesMax ? undefined : Buffer.concat(chunks).toString('utf8')))
    request.on('error', reject)
  })
}

function updateIn(body: string): object | undefined {
  try {
    const update: unknown = JSON.parse(body)
    return typeof update === 'object' && update !== null ? update : undefined
  } catch {
    return undefined // answered 400: it would be no JSON the next time either
  }
}

function end(request: IncomingMessage, response: ServerResponse, status: number, headers = {}): void {
  if (response.destroyed) return
  // The rest of a body that was not read is not waited for.
  response.writeHead(status, { ...headers, 'content-length': 0, ...(!request.complete && { connection: 'close' }) })
  response.end()
}
