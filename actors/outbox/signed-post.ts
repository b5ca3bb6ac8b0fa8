/**
 * One post to a receiver that others named, signed as Standard Webhooks says: `webhook-id`, `webhook-timestamp` and
 * `webhook-signature`, so that receivers check it with a library of theirs. By the judge of outgoing addresses.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { Agent, request } from 'undici'
import { OutgoingRefused } from '../../runtime/network/judge.ts'
import type { Outgoing } from '../../runtime/network/outgoing.ts'
import { retryAfterMs } from '../../runtime/network/retry-after.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { DeliveryFailed, type Sent } from '../channel/adapter.ts'

/** Statuses by which a receiver refuses permanently. */
const finalStatuses = new Set([400, 410, 413, 422])

const answerBytesMax = 65_536

export const webhookAgent = ({ connector }: Outgoing) =>
  new Agent({ connections: 32, pipelining: 1, keepAliveTimeout: 10_000, connect: connector })

export interface Webhook {
  url: URL
  id: string
  body: string
  secret: string | undefined
}

/** @throws DeliveryFailed */
export async function postSigned(
  { url, id, body, secret }: Webhook,
  { agent, outgoing, clock, signal }: { agent: Agent; outgoing: Outgoing; clock: Clock; signal: AbortSignal },
): Promise<Sent> {
  const timestamp = String(Math.floor(clock.now() / 1_000))
  const answer = await request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'service-webhook',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      ...(secret && { 'webhook-signature': signature(secret, `${id}.${timestamp}.${body}`) }),
    },
    body,
    signal,
    dispatcher: agent,
  }).catch(async (error: Error) => {
    signal.throwIfAborted()
    throw notReached(await outgoing.laterFailure(url, error))
  })
  await answer.body.dump({ limit: answerBytesMax })
  return resultOf(answer.statusCode, retryAfterMs(answer.headers, clock))
}

/** Tried again also where the judge refuses: the owner may allow it, and an unknown name would be told from an internal one. */
function notReached(error: unknown): DeliveryFailed {
  if (error instanceof OutgoingRefused) return new DeliveryFailed(error.message)
  const { code } = error as { code?: unknown }
  return new DeliveryFailed(`the receiver cannot be reached${typeof code === 'string' ? ` (${code})` : ''}`, {
    cause: error,
  })
}

/** @see Standard Webhooks, "Signature scheme": `whsec_` and 24 to 64 bytes in base64 */
export const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

/** @see Standard Webhooks, "Webhook Headers" and "Signature scheme" */
export function signature(secret: string, content: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
}

function resultOf(status: number, retryAfterMs: number | undefined): Sent {
  if (status >= 200 && status < 300) return { statusCode: status, receipt: null }
  const message =
    status >= 300 && status < 400 ? `a redirect (${status}), which is not followed` : `the receiver answered ${status}`
  throw new DeliveryFailed(message, {
    isFinal: finalStatuses.has(status),
    statusCode: status,
    retryAfterMs,
  })
}
