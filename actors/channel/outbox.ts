/** The outbox of a channel: answers that are due are claimed, sent by its transport and recorded, in order for each conversation. */
import {
  type ClaimedDelivery,
  claimDeliveries,
  expireDeliveries,
  type HeldChannel,
  nextDeliveryInMs,
  releaseDeliveries,
} from '../../store/deliveries/deliveries.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { pump } from '../outbox/pump.ts'
import { DeliveryFailed, type OutgoingDelivery } from './adapter.ts'
import type { Channel } from './channels.ts'
import type { ChannelContext } from './state.ts'

/** Claims what is due, within the limits of the channel, and starts an attempt of each. */
export async function pumpChannel(context: ChannelContext): Promise<void> {
  const { state, services, key } = context
  const configured = services.channels.byId(key)
  if (!configured || !state.isConnected || !state.transport || context.isDraining) return
  const { leases } = services
  const hold = leases.hold(key)
  if (!hold) return
  try {
    await pump(context, outboxOf(context, configured, { key, node: leases.node, lease: hold.lease }))
  } finally {
    hold.release()
  }
}

interface Answer extends ClaimedDelivery {
  outgoing: OutgoingDelivery
}

/** @param configured the channel as it is when deliveries are claimed */
function outboxOf(context: ChannelContext, configured: Channel, held: HeldChannel): Outbox<Answer> {
  const { state, services, key } = context
  const { db, attempts, feed, leases } = services
  const { transport, connection } = state
  return {
    policy: configured.policy,
    isHeld: () => leases.isCurrent && leases.of(key) === held.lease,
    isCurrent: () => state.connection === connection,
    async expire(limit, now) {
      if ((await expireDeliveries(db, held, limit, now)) > 0) feed.wake()
    },
    async claim(limit, now) {
      const claimed = await claimDeliveries(db, held, limit, now)
      return claimed.map((delivery) => ({ ...delivery, outgoing: outgoingOf(delivery) }))
    },
    release: ({ id }, nextAt) => releaseDeliveries(db, held, [id], nextAt),
    nextInMs: (now) => nextDeliveryInMs(db, key, now),
    destinationOf: ({ outgoing }) => transport?.destinationOf(outgoing) ?? '',
    async send({ outgoing }, signal) {
      if (!transport) throw new DeliveryFailed('the channel is closed')
      return await transport.send(outgoing, signal)
    },
    async record({ id }, attempt) {
      await attempts.record({ ...attempt, delivery: id, lease: held.lease })
      feed.wake()
    },
  }
}

/** An attempt is over: its place is free. */
export function attemptEnded({ state, services, key }: ChannelContext): void {
  state.sending--
  services.channels.wake(key)
}

function outgoingOf(delivery: ClaimedDelivery): OutgoingDelivery {
  return {
    id: delivery.id,
    conversationId: delivery.conversationId,
    messageId: delivery.messageId,
    externalId: delivery.externalId,
    replyTo: delivery.replyTo,
    text: textOf(delivery.body),
    attempts: delivery.attempts,
    createdAt: delivery.createdAt,
  }
}

function textOf(body: unknown): string {
  const content = typeof body === 'object' && body !== null ? (body as { content?: unknown }).content : undefined
  return typeof content === 'string' ? content : JSON.stringify(content ?? '')
}
