/** What an operator may say of a chatapp channel. */
import { describe, expect, it } from 'vitest'
import { chatapp } from '../../../../actors/channel/adapters/chatapp.ts'
import { botToken } from './support/bot-server.ts'

describe('what an operator configures', () => {
  const { config, secrets } = chatapp

  it('needs no more than a token', () => {
    expect(config.parse({})).toEqual({ api_base: 'https://api.telegram.org' })
    expect(secrets.parse({ bot_token: botToken })).toEqual({ bot_token: botToken })
  })

  it.each([
    [{ api_base: 'ftp://example.com' }, 'api_base'],
    [{ api_base: 'https://user:password@example.com' }, 'api_base'],
    [{ api_base: 'https://example.com/?a=b' }, 'api_base'],
    [{ mode: 'email' }, 'mode'],
    // Tenants open no ports.
    [{ mode: 'webhook', webhook: { public_url: 'https://example.com', listen: '127.0.0.1:8443' } }, 'webhook'],
    [{ mode: 'webhook', webhook: { public_url: 'nowhere' } }, 'webhook.public_url'],
    [{ mode: 'webhook', webhook: { public_url: 'https://example.com/?a=b' } }, 'webhook.public_url'],
    [{ token: botToken }, ''],
  ])('is refused where it cannot work: %j', (given, field) => {
    const result = config.safeParse(given)
    expect(result.error?.issues[0]?.path.join('.')).toBe(field)
  })

  it.each([{ mode: 'webhook' }, { mode: 'webhook', webhook: { public_url: 'https://example.com/bots' } }])(
    'may receive by webhook: %j',
    (given) => {
      expect(config.safeParse(given).success).toBe(true)
    },
  )

  it.each([
    { bot_token: `${botToken}/../getMe` },
    { bot_token: 'no-token-but-a-word' },
    { bot_token: botToken, webhook_secret: 'short' },
    { bot_token: botToken, webhook_secret: 'a secret with spaces in it' },
  ])('is refused without a word of the secret: %#', (given) => {
    const result = secrets.safeParse(given)
    expect(result.success).toBe(false)
    for (const secret of Object.values(given)) expect(String(result.error)).not.toContain(secret)
  })
})
