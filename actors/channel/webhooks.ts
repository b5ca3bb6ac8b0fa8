/** Channels that wait for the posts of their messenger. One listener, of the HTTP server, serves them all and looks them up here. */
import { createHmac } from 'node:crypto'
import type { MasterKey } from '../../config/seal.ts'
import type { ChannelId } from '../../store/id.ts'

export interface WebhookReceiver {
  readonly secret: string
  /** @throws where it was not taken, so that the messenger posts it again */
  take(post: object): Promise<void>
}

/** What the listener finds. */
export interface OpenWebhook extends WebhookReceiver {
  /** Posts that are being taken. */
  underWay: number
}

/** One channel's share of the listener. */
export interface ChannelWebhook {
  /** CHATAPP_PUBLIC_URL; undefined: it is blank. */
  readonly publicUrl: string | undefined
  /** Of the channel, at the listener. */
  readonly path: string
  /** For a channel that has none of its own. The same at every start, and at every node. */
  readonly madeSecret: string
  /** Resolves when posts come in. @returns ends it @throws the listener's failure, such as a taken port; the signal's reason */
  receive(receiver: WebhookReceiver, signal: AbortSignal): Promise<() => void>
}

export interface Webhooks {
  of(id: ChannelId): ChannelWebhook
  /**
   * Posts of the channel are taken here too while it is at another node. Resolves when the listener is open.
   * @param receiver undefined: it waits for none any more @throws the listener's failure
   */
  takeForOthers(id: ChannelId, receiver: WebhookReceiver | undefined): Promise<void>
  /** Undefined: no channel of this id waits for posts. */
  receiver(id: string): OpenWebhook | undefined
  /** @param open opens the listener unless it is open; called for each channel that begins to wait. @throws its failure */
  listenBy(open: () => void): void
}

export function webhookDirectory(parts: { publicUrl: string; masterKey: () => MasterKey }): Webhooks {
  const { publicUrl, masterKey } = parts
  /** Of channels that are at this node, and of all. */
  const receivers = new Map<string, OpenWebhook>()
  const ofOthers = new Map<string, OpenWebhook>()
  const listener = Promise.withResolvers<() => void>()

  return {
    of: (id) => ({
      publicUrl: publicUrl === '' ? undefined : publicUrl,
      path: `/chatapp/${id}`,
      get madeSecret() {
        return createHmac('sha256', masterKey().bytes).update(`webhook/${id}`).digest('base64url')
      },
      async receive(receiver, signal) {
        const open = await Promise.race([listener.promise, aborted(signal)])
        signal.throwIfAborted()
        open()
        const own: OpenWebhook = { ...receiver, underWay: 0 }
        receivers.set(id, own)
        return () => {
          if (receivers.get(id) === own) receivers.delete(id)
        }
      },
    }),
    async takeForOthers(id, receiver) {
      if (receiver) ofOthers.set(id, { ...receiver, underWay: 0 })
      else ofOthers.delete(id)
      if (receiver) (await listener.promise)()
    },
    receiver: (id) => receivers.get(id) ?? ofOthers.get(id),
    listenBy: (open) => listener.resolve(open),
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}
