/** A chat application with a bot API as Telegram has it: messages by long polling or a webhook, answers by sendMessage. */
import { z } from 'zod'
import { targetOf } from '../../../runtime/network/outgoing.ts'
import { seconds } from '../../../runtime/time/duration.ts'
import { type AdapterDependencies, type ChannelTransport, defineAdapter } from '../adapter.ts'
import { botApi } from './chatapp/api.ts'
import { Config, Secrets } from './chatapp/config.ts'
import { updateIntake } from './chatapp/intake.ts'
import { receivingByPolling, receivingByWebhook } from './chatapp/receiving.ts'
import { chatIdOf, sendText, sentParts } from './chatapp/sending.ts'

const typingMs = seconds(5)

const sent = sentParts()

const Me = z.object({ id: z.int(), username: z.string().max(64).optional().catch(undefined) })

export const chatapp = defineAdapter({
  name: 'chatapp',
  title: { en: 'Chat application', ru: 'Мессенджер' },
  summary: 'A chat application with a Telegram-compatible bot API',
  config: Config,
  secrets: Secrets,
  delivers: () => true,
  receives: () => true,
  showsTyping: true,
  destinations: ({ api_base }) => [targetOf(new URL(api_base))],
  checks: ({ config, secrets }, dependencies) => [
    {
      name: 'bot_api',
      async run(signal) {
        const otherSecrets = secrets.webhook_secret === undefined ? [] : [secrets.webhook_secret]
        const api = botApi({ base: config.api_base, token: secrets.bot_token, otherSecrets }, dependencies)
        try {
          const { id, username } = await api.call('getMe', {}, { result: Me, signal })
          return `the bot is ${username === undefined ? id : `@${username}`}`
        } finally {
          await api.close()
        }
      },
    },
  ],
  posts({ config, secrets }, dependencies) {
    if (modeOf(config, dependencies) !== 'webhook') return undefined
    const secret = secrets.webhook_secret ?? dependencies.webhook.madeSecret
    return { secret, take: updateIntake(dependencies).takeOnce }
  },
  open({ config, secrets }, dependencies): ChannelTransport {
    const { bot_token: token } = secrets
    const { webhook } = dependencies
    const mode = modeOf(config, dependencies)
    const secret = secrets.webhook_secret ?? (mode === 'webhook' ? webhook.madeSecret : undefined)
    const otherSecrets = secret === undefined ? [] : [secret]
    const api = botApi({ base: config.api_base, token, otherSecrets }, dependencies)
    const closing = new AbortController()
    const receiving =
      mode === 'webhook' && secret !== undefined
        ? receivingByWebhook(api, { publicUrl: config.webhook?.public_url, secret }, dependencies)
        : receivingByPolling(api, dependencies)
    let lost = Promise.resolve()

    return {
      async connect(stopped) {
        const signal = AbortSignal.any([stopped, closing.signal])
        await api.call('getMe', {}, { result: Me, signal })
        const connection = await receiving.connect(signal)
        lost = connection.lost
        lost.catch(() => undefined) // the channel awaits it later; until then it is not an unhandled rejection
      },
      get lost() {
        return lost
      },
      destinationOf: () => api.origin,
      send: (delivery, signal) => sendText(api, sent, delivery, AbortSignal.any([signal, closing.signal])),
      async typing(externalId) {
        try {
          await api.call(
            'sendChatAction',
            { chat_id: chatIdOf(externalId), action: 'typing' },
            { result: z.unknown(), signal: closing.signal, timeoutMs: typingMs },
          )
        } catch (error) {
          // Only a hint for the sender: the answer does not depend on it.
          dependencies.log.debug({ err: error }, 'typing could not be shown')
        }
      },
      async close() {
        closing.abort(new Error('the channel is closed'))
        await receiving.close()
        await api.close()
      },
    }
  },
})

function modeOf({ mode }: Config, { webhook }: AdapterDependencies): 'polling' | 'webhook' {
  return mode ?? (webhook.publicUrl === undefined ? 'polling' : 'webhook')
}
