/** The configuration of a chatapp channel: which bot API, and how messages come from it. */
import { z } from 'zod'
import { inForm } from '../../form.ts'

const byWebhook = { path: 'mode', is: 'webhook' }

const HttpUrl = z
  .url({ protocol: /^https?$/ })
  .max(2_000)
  .refine(hasNoCredentials, 'must hold no user name and no password')

const Webhook = z.strictObject({
  public_url: HttpUrl.describe('Where the bot API finds the listener, as seen from outside.').meta(
    inForm({
      label: { en: 'Public address', ru: 'Внешний адрес' },
      help: { en: 'Of the listener, as the bot API sees it.', ru: 'По которому API ботов видит приёмник.' },
      placeholder: 'https://example.com/bot',
    }),
  ),
  listen: z
    .string()
    .max(300)
    .regex(/^(\[[0-9A-Fa-f:.]+\]|[^\s:/[\]]+):\d{1,5}$/, 'must be host:port')
    .refine((text) => listenAddressOf(text).port <= 65_535, 'must have a port up to 65535')
    .describe('host:port of the listener of this channel.')
    .meta(
      inForm({
        label: { en: 'Listener', ru: 'Приёмник' },
        help: { en: 'host:port, for this channel alone.', ru: 'host:port, только для этого канала.' },
        placeholder: '127.0.0.1:8790',
      }),
    ),
})

export const Config = z
  .strictObject({
    api_base: HttpUrl.refine(hasNoQuery, 'must have no query and no fragment')
      .default('https://api.telegram.org')
      .describe('The bot API: the original, or a compatible server.')
      .meta(
        inForm({
          label: { en: 'Bot API', ru: 'API ботов' },
          help: { en: 'The original, or a compatible server.', ru: 'Исходный или совместимый сервер.' },
        }),
      ),
    mode: z
      .enum(['polling', 'webhook'])
      .default('polling')
      .describe('Whether messages are polled, or sent to a listener.')
      .meta(
        inForm({
          label: { en: 'How messages arrive', ru: 'Как приходят сообщения' },
          help: {
            en: 'Polling works behind any firewall. One process polls a bot.',
            ru: 'Опрос работает за любым экраном. Бота опрашивает один процесс.',
          },
          choices: [
            { value: 'polling', label: { en: 'polling', ru: 'опрос (polling)' } },
            { value: 'webhook', label: { en: 'webhook', ru: 'вебхук (webhook)' } },
          ],
        }),
      ),
    webhook: Webhook.optional()
      .describe('For the mode webhook, and required there.')
      .meta(inForm({ onlyIf: byWebhook })),
  })
  .refine(({ mode, webhook }) => mode === 'polling' || webhook !== undefined, {
    message: 'the mode webhook needs public_url and listen',
    path: ['webhook'],
  })
export type Config = z.infer<typeof Config>

/** Only characters without a special meaning in a URL's path: the token is part of the API's URL. */
export const Secrets = z.strictObject({
  bot_token: z
    .string()
    .regex(/^\d{1,20}:[A-Za-z0-9_-]{16,128}$/, 'must be a bot token, as in 1234:AbC…')
    .meta(
      inForm({ label: { en: 'Bot token', ru: 'Токен бота' }, help: { en: 'As in 1234:AbC…', ru: 'Вида 1234:AbC…' } }),
    ),
  webhook_secret: z
    .string()
    .regex(/^[A-Za-z0-9_-]{16,256}$/, 'must be 16 to 256 letters, digits, underscores or hyphens')
    .optional()
    .meta(
      inForm({
        label: { en: 'Webhook secret', ru: 'Секрет вебхука' },
        help: {
          en: '16 to 256 letters, digits, underscores or hyphens.',
          ru: 'От 16 до 256 латинских букв, цифр, подчёркиваний или дефисов.',
        },
        onlyIf: byWebhook,
      }),
    ),
})
export type Secrets = z.infer<typeof Secrets>

export interface ListenAddress {
  host: string
  port: number
}

/** @param text `host:port`, an IPv6 host in brackets */
export function listenAddressOf(text: string): ListenAddress {
  const at = text.lastIndexOf(':')
  return { host: text.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(text.slice(at + 1)) }
}

/** True for text that cannot be parsed: another check reports that. */
function hasNoCredentials(text: string): boolean {
  const url = URL.parse(text)
  return url === null || (url.username === '' && url.password === '')
}

function hasNoQuery(text: string): boolean {
  return !/[?#]/.test(text)
}
