/** What an operator may say of a channel of mail, and what is refused before it is stored. */
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { email } from '../../../../actors/channel/adapters/email.ts'
import { adapters } from '../../../../actors/channel/adapters.ts'

const smtp = { host: 'mail.example.com', from: 'agent@example.com' }
const imap = { host: 'mail.example.com', user: 'agent' }

describe('the configuration', () => {
  it('is short: what most servers have need not be said', () => {
    expect(email.config.parse({ smtp, imap })).toEqual({
      smtp: { ...smtp, port: 587, secure: false },
      imap: { ...imap, port: 993, secure: true, mailbox: 'INBOX', days_max: 7 },
      tls: { reject_unauthorized: true },
    })
  })

  it.each([
    [{}],
    [{ smtp: { ...smtp, from: 'Agent <agent@example.com>' } }],
    [{ smtp: { ...smtp, from: 'agent@example.com\r\nBcc: eve@example.net' } }],
    [{ smtp: { ...smtp, host: 'mail.example.com/x' } }],
    [{ smtp: { ...smtp, port: 0 } }],
    [{ smtp: { ...smtp, password: 'in the wrong place' } }],
    [{ smtp, imap: { ...imap, mailbox: 'INBOX\r\nA1 LOGOUT' } }],
    [{ smtp, tls: { rejectUnauthorized: false } }],
  ])('is refused: %j', (config) => {
    expect(email.config.safeParse(config).success).toBe(false)
  })

  it('can be shown as a JSON schema', () => {
    expect(z.toJSONSchema(email.config)).toMatchObject({ properties: { smtp: {}, imap: {}, tls: {} } })
  })

  it('that the page for operators shows is understood', async () => {
    const page = await readFile(new URL('../../../../docs/email.md', import.meta.url), 'utf8')
    const shownExample = JSON.parse(/-d '(\{.*?\})'/s.exec(page)?.[1] ?? '')
    expect(shownExample.adapter).toBe(email.name)
    expect(email.config.safeParse(shownExample.config).error).toBeUndefined()
    expect(email.secrets.safeParse(shownExample.secrets).error).toBeUndefined()
  })

  it('without a mailbox sends only; with one it receives too', () => {
    expect(adapters.get('email')).toBe(email)
    const [sending, both] = [email.config.parse({ smtp }), email.config.parse({ smtp, imap })]
    expect([email.delivers(sending), email.receives(sending)]).toEqual([true, false])
    expect([email.delivers(both), email.receives(both)]).toEqual([true, true])
  })
})
