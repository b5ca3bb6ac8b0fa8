/** Takes a message in: a place in the backlog, then the commit, then the queue. */

import { hash } from 'node:crypto'
import { newConversationId, newMessageId, newTurnId } from '../../store/id.ts'
import type { Intake } from '../../store/intake.ts'
import type { Services } from '../services.ts'
import type { IncomingMessage } from './adapter.ts'
import type { Channel } from './channels.ts'
import type { IntakeCounts } from './intake-counts.ts'

export interface TakenMessage {
  externalId: string
  content: unknown
  senderName: string | null
  replyTo: unknown
  details?: object | null
  dedupe: { key: string; digest: string } | null
  requestId: string
}

export type TakingServices = Pick<Services, 'intake' | 'intakeCounts' | 'queue' | 'settings'>

const countedAs = {
  accepted: 'accepted',
  duplicate: 'duplicates',
  ignored: 'ignored',
  conflict: 'conflicts',
} as const satisfies Record<Intake['disposition'], keyof IntakeCounts>

/** @throws BacklogFull, BatchFull, DatabaseDown; nothing was stored */
export async function take(services: TakingServices, channel: Channel, message: TakenMessage): Promise<Intake> {
  const { intake, intakeCounts, queue, settings } = services
  const counted = intakeCounts.of(channel.id)
  let taken: Intake | undefined
  try {
    taken = await queue.enter(
      channel.id,
      () =>
        intake.take({
          ...message,
          channelId: channel.id,
          workspaceId: channel.workspaceId,
          conversationId: newConversationId(),
          messageId: newMessageId(),
          turnId: newTurnId(),
          isBindingRequired: settings.get('SERVICE_INBOUND_REQUIRE_BINDING') === 'true',
        }),
      (result) => (result.disposition === 'accepted' ? result.conversationId : null),
    )
    return taken
  } finally {
    counted[taken ? countedAs[taken.disposition] : 'refused']++
  }
}

/** @throws as `take`: the adapter leaves the message where it is and takes it later */
export async function takeFromAdapter(services: Services, channel: Channel, message: IncomingMessage): Promise<void> {
  const { messageId, ...rest } = message
  await take(services, channel, {
    ...rest,
    dedupe: ofMessage(channel, messageId),
    requestId: `${channel.name}:${messageId}`.slice(0, 128),
  })
}

/** One message of a channel, however often it comes, and whatever else of it differs then. */
export function ofMessage(channel: Channel, messageId: string): { key: string; digest: string } {
  const key = keyOf(`${channel.id}\0message\0${messageId}`)
  return { key, digest: key }
}

/** One key of a client: the same key with another body is another request, and an error. */
export function ofIdempotencyKey(
  channel: Channel,
  idempotencyKey: string,
  body: string,
): { key: string; digest: string } {
  return { key: keyOf(`${channel.id}\0key\0${idempotencyKey}`), digest: keyOf(body) }
}

/** The first half of a SHA-256, as a UUID's 32 digits. */
function keyOf(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 32)
}
