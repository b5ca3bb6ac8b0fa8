/** People who write to the service: each says one thing after another, and again until it is taken. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../../runtime/random.ts'

export interface AcceptedMessage {
  text: string
  messageId: string
  conversationId: string
}

export interface Senders {
  /** What was accepted, in order, by sender. */
  readonly accepted: ReadonlyMap<string, AcceptedMessage[]>
  /** Resolves when everybody has had the answer to what they said last. */
  stop(): Promise<void>
}

/** Messages of one sender that wait for their answers: more would say nothing new, and take long to be answered in the end. */
const aheadMax = 6

/** @param options.url where the next request goes. @param options.role of the model's script. @param options.pauseMsMax between two messages of one sender */
export function senders(options: {
  url: () => string
  role: string
  channel: string
  count: number
  pauseMsMax: number
  random: Random
  /** How many of a sender's messages have their answers. */
  answered: (externalId: string) => number
}): Senders {
  const { url, role, channel, count, pauseMsMax, random, answered } = options
  const accepted = new Map<string, AcceptedMessage[]>()
  let isStopping = false

  async function sayAll(externalId: string): Promise<void> {
    const mine: AcceptedMessage[] = []
    accepted.set(externalId, mine)
    for (let at = 0; !isStopping; at++) {
      const text = `${externalId} says ${at}`
      mine.push({ text, ...(await say(externalId, text, `${externalId}-${at}`)) })
      await wait(random.next() * pauseMsMax)
      while (!isStopping && mine.length - answered(externalId) >= aheadMax) await wait(20)
    }
  }

  async function say(
    externalId: string,
    text: string,
    messageId: string,
  ): Promise<{ messageId: string; conversationId: string }> {
    for (;;) {
      try {
        const response = await fetch(`${url()}/v1/inbound/${channel}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ external_id: externalId, text, message_id: messageId }),
          signal: AbortSignal.timeout(10_000),
        })
        if (response.status === 202) {
          const acceptedBody = (await response.json()) as { message_id: string; conversation_id: string }
          return { messageId: acceptedBody.message_id, conversationId: acceptedBody.conversation_id }
        }
        // A channel that was made a moment ago is not known at every node yet.
        const isNotThereYet = response.status === 404 && messageId.endsWith('-0')
        if (response.status < 500 && response.status !== 429 && !isNotThereYet)
          throw new TypeError(`refused with ${response.status}`)
      } catch (error) {
        if (error instanceof TypeError && error.message.startsWith('refused')) throw error
      }
      await wait(20)
    }
  }

  const all = Promise.all(Array.from({ length: count }, (_, at) => sayAll(`${role}-${at}`)))
  return {
    accepted,
    async stop() {
      isStopping = true
      await all
    },
  }
}
