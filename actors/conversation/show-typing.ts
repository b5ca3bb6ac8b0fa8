/** Shows the sender that an answer is being made, where the channel can show it. */
import { seconds } from '../../runtime/time/duration.ts'
import type { ClaimedTurn } from '../../store/turns/queue.ts'
import { channel as channelActor } from '../channel/actor.ts'
import type { ConversationContext } from './state.ts'

/** Chat applications show it for some five seconds. */
const typingMs = seconds(4)

/** @returns ends it */
export function showTyping(context: ConversationContext, { channelId, externalId, replyTo }: ClaimedTurn): () => void {
  const { services, clock } = context
  if (!channelId || externalId === null || !services.channels.showsTyping(channelId)) return () => {}
  const channel = context.actor(channelActor, channelId)
  const sign = { externalId, replyTo }
  let timer = clock.after(0, show)
  function show(): void {
    try {
      channel.tell('typing', sign)
    } catch {
      // The channel's mailbox is full, and deliveries matter more than signs.
    }
    timer = clock.after(typingMs, show)
  }
  return () => timer.cancel()
}
