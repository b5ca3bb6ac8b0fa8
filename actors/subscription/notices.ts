/** Sends one event to where a subscription says: a signed post, or a mail by the e-mail channel of SERVICE_MAIL_CHANNEL. */
import { randomUUID } from 'node:crypto'
import type { Agent } from 'undici'
import type { MasterKey } from '../../config/seal.ts'
import type { Settings } from '../../config/settings.ts'
import type { Outgoing } from '../../runtime/network/outgoing.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import type { Database } from '../../store/database.ts'
import { defaultWorkspace } from '../../store/default-workspace.ts'
import { eventFields, type StoredEvent } from '../../store/events/events.ts'
import type { ClaimedNotice } from '../../store/subscriptions/outbox.ts'
import { type Subscription, signingSecret } from '../../store/subscriptions/subscriptions.ts'
import { DeliveryFailed, type Sent } from '../channel/adapter.ts'
import type { Channels } from '../channel/channels.ts'
import { postSigned, webhookAgent } from '../outbox/signed-post.ts'
import { mailAllowance } from './mail-allowance.ts'
import { mailOf, type Notice } from './mail-text.ts'

export interface NoticeSender {
  /** @throws DeliveryFailed; anything else may be retried */
  send(subscription: Subscription, delivery: ClaimedNotice, signal: AbortSignal): Promise<Sent>
  /** One that no event stands behind. @throws DeliveryFailed */
  test(subscription: Subscription, signal: AbortSignal): Promise<Sent>
  close(): Promise<void>
}

interface Parts {
  db: Database
  settings: Pick<Settings, 'get'>
  masterKey: () => MasterKey
  outgoing: Outgoing
  channels: Channels
  clock: Clock
}

export function noticeSender({ db, settings, masterKey, outgoing, channels, clock }: Parts): NoticeSender {
  let agent: Agent | undefined
  const takeMail = mailAllowance(clock)

  async function sendNotice(
    subscription: Subscription,
    { id, notice }: { id: string; notice: Notice },
    signal: AbortSignal,
  ): Promise<Sent> {
    if (subscription.kind === 'mail') return await sendMail(subscription, { id, notice }, signal)
    agent ??= webhookAgent(outgoing)
    const secret = await signingSecret(db, masterKey, subscription)
    // Sent without a signature it would be taken for somebody else's.
    if (secret === undefined) throw new DeliveryFailed('the signing secret of the webhook was removed; make a new one')
    const webhook = { url: new URL(subscription.target), id, body: JSON.stringify(notice), secret }
    return await postSigned(webhook, { agent, outgoing, clock, signal })
  }

  async function sendMail(
    { target, workspaceId }: Subscription,
    { id, notice }: { id: string; notice: Notice },
    signal: AbortSignal,
  ): Promise<Sent> {
    const name = settings.get('SERVICE_MAIL_CHANNEL')
    const channel = name === '' ? undefined : channels.byName(name)
    // One of that name in another workspace would send what is the operators' by a server of somebody else.
    if (channel?.adapter.name !== 'email' || channel.workspaceId !== defaultWorkspace({ settings }))
      throw new DeliveryFailed(
        name === ''
          ? 'SERVICE_MAIL_CHANNEL is blank'
          : `SERVICE_MAIL_CHANNEL names no e-mail channel of the default workspace: ${name}`,
      )
    takeMail(workspaceId)
    const { sendNoticeMail } = await import('../channel/adapters/email/notice.ts')
    const { title, text } = mailOf(notice, settings.get('SERVICE_LOCALE'))
    const mail = { id, to: target, subject: title, text, date: new Date(notice.timestamp) }
    return await sendNoticeMail(channel, mail, { outgoing, signal })
  }

  return {
    async send(subscription, delivery, signal) {
      const position = { xid: BigInt(delivery.event.xid), id: BigInt(delivery.event.id) }
      const row = { position, kind: delivery.eventKind, workspaceId: delivery.workspaceId, conversationId: null }
      const [event] = await eventFields(db, [{ ...row, channelId: null }])
      if (!event) throw new DeliveryFailed('the event is no longer stored', { isFinal: true })
      return await sendNotice(subscription, { id: delivery.id, notice: noticeOf(event) }, signal)
    },
    async test(subscription, signal) {
      const timestamp = new Date(clock.now()).toISOString()
      const data = { subscription_id: subscription.id, name: subscription.name }
      const notice = { type: 'subscription.test', timestamp, data }
      return await sendNotice(subscription, { id: `test_${randomUUID()}`, notice }, signal)
    },
    async close() {
      await agent?.destroy()
    },
  }
}

function noticeOf({ kind, at, conversationId, channel, data }: StoredEvent): Notice {
  const place = { ...(conversationId && { conversation_id: conversationId }), ...(channel && { channel }) }
  return { type: kind, timestamp: at.toISOString(), data: { ...place, ...data } }
}
