/** What an operator says of a chatapp channel: which bot API, and how messages come from it. */
import { z } from 'zod'

const HttpUrl = z
  .url({ protocol: /^https?$/ })
  .max(2_000)
  .refine(hasNoCredentials, 'must hold no user name and no password')

const Webhook = z.strictObject({
  public_url: HttpUrl.describe('Where the bot API finds the listener, as seen from outside.'),
  listen: z
    .string()
    .max(300)
    .regex(/^(\[[0-9A-Fa-f:.]+\]|[^\s:/[\]]+):\d{1,5}$/, 'must be host:port')
    .refine((text) => listenAddressOf(text).port <= 65_535, 'must have a port up to 65535')
    .describe('host:port of the listener of this channel.'),
})

export const Config = z
  .strictObject({
    api_base: HttpUrl.refine(hasNoQuery, 'must have no query and no fragment')
      .default('https://api.telegram.org')
      .describe('The bot API: the original, or a compatible server.'),
    mode: z
      .enum(['polling', 'webhook'])
      .default('polling')
      .describe('Whether messages are asked for, or sent to a listener.'),
    webhook: Webhook.optional().describe('For the mode webhook, and needed there.'),
  })
  .refine(({ mode, webhook }) => mode === 'polling' || webhook !== undefined, {
    message: 'the mode webhook needs public_url and listen',
    path: ['webhook'],
  })
export type Config = z.infer<typeof Config>

/** Only characters that mean themselves in a URL's path: the token is part of the API's. */
export const Secrets = z.strictObject({
  bot_token: z.string().regex(/^\d{1,20}:[A-Za-z0-9_-]{16,128}$/, 'must be a bot token, as in 1234:AbC…'),
  webhook_secret: z
    .string()
    .regex(/^[A-Za-z0-9_-]{16,256}$/, 'must be 16 to 256 letters, digits, underscores or hyphens')
    .optional(),
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

/** Other checks of the same text report what cannot be parsed. */
function hasNoCredentials(text: string): boolean {
  const url = URL.parse(text)
  return url === null || (url.username === '' && url.password === '')
}

function hasNoQuery(text: string): boolean {
  return !/[?#]/.test(text)
}
