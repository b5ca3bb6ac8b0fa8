/** The configuration of a chatapp channel: which bot API, and how messages come from it. */
import { z } from 'zod'
import { inForm } from '../../form.ts'

const byWebhook = { path: 'mode', is: 'webhook' }

const HttpUrl = z
  .url({ protocol: /^https?$/ })
  .max(2_000)
  .refine(hasNoCredentials, 'must hold no user name and no password')

const Webhook = z.strictObject({
  public_url: HttpUrl.refine(hasNoQuery, 'must have no query and no fragment')
    .optional()
    .describe(
      'Where the bot API reaches the listener of the service; default: CHATAPP_PUBLIC_URL. The path of the channel is added.',
    )
    .meta(
      inForm({
        label: { en: 'Public address', ru: 'Внешний адрес' },
        help: {
          en: 'Where the bot API reaches the service’s listener. Blank: CHATAPP_PUBLIC_URL.',
          ru: 'По которому API ботов видит приёмник сервиса. Пусто: CHATAPP_PUBLIC_URL.',
        },
        placeholder: 'https://example.com',
      }),
    ),
})

export const Config = z.strictObject({
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
    .optional()
    .describe(
      'Whether messages are polled, or posted to the listener; default: posted where CHATAPP_PUBLIC_URL is set.',
    )
    .meta(
      inForm({
        label: { en: 'How messages arrive', ru: 'Как приходят сообщения' },
        help: {
          en: 'Default: by webhook where CHATAPP_PUBLIC_URL is set, else by polling, which works behind any firewall.',
          ru: 'По умолчанию: вебхук, если задан CHATAPP_PUBLIC_URL, иначе опрос. Опрос работает за любым экраном.',
        },
        choices: [
          {
            value: null,
            label: { en: 'default', ru: 'по умолчанию' },
          },
          { value: 'polling', label: { en: 'polling', ru: 'опрос (polling)' } },
          { value: 'webhook', label: { en: 'webhook', ru: 'вебхук (webhook)' } },
        ],
      }),
    ),
  webhook: Webhook.optional()
    .describe('For the mode webhook.')
    .meta(inForm({ onlyIf: byWebhook })),
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
          en: 'Blank: one is made. Else 16 to 256 letters, digits, underscores or hyphens.',
          ru: 'Пусто: создаётся сам. Иначе от 16 до 256 латинских букв, цифр, подчёркиваний или дефисов.',
        },
        onlyIf: byWebhook,
      }),
    ),
})
export type Secrets = z.infer<typeof Secrets>

/** True for text that cannot be parsed: another check reports that. */
function hasNoCredentials(text: string): boolean {
  const url = URL.parse(text)
  return url === null || (url.username === '' && url.password === '')
}

function hasNoQuery(text: string): boolean {
  return !/[?#]/.test(text)
}
