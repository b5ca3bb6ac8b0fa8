/** A conversation by mail through the whole service: a mail is read, answered by the model, and the answer arrives in its thread. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GatewayUnderTest, gatewayUnderTest } from '../../../support/gateway.ts'
import { eventually } from './support/eventually.ts'
import { type ImapServer, imapPassword, imapServer, imapUser } from './support/imap-server.ts'
import { mailOfAda } from './support/open-email.ts'
import { type SmtpServer, smtpPassword, smtpServer, smtpUser } from './support/smtp-server.ts'

let smtp: SmtpServer
let imap: ImapServer
let service: GatewayUnderTest

beforeAll(async () => {
  smtp = await smtpServer()
  imap = await imapServer()
  service = await gatewayUnderTest({ SERVICE_INBOUND_REQUIRE_BINDING: 'false' })
})

afterAll(async () => {
  await service.stop()
  await imap.close()
  await smtp.close()
})

describe('a channel of mail', () => {
  it('answers a mail once, in its thread, also when it comes a second time', async () => {
    const made = await service.post('/v1/admin/channels', {
      name: 'mail',
      adapter: 'email',
      config: {
        smtp: { host: '127.0.0.1', port: smtp.port, from: 'agent@example.com', user: smtpUser },
        imap: { host: '127.0.0.1', port: imap.port, secure: false, user: imapUser },
      },
      secrets: { smtp_password: smtpPassword, imap_password: imapPassword },
    })
    const answerText = await made.text()
    expect([made.status, answerText]).toEqual([201, expect.stringContaining('"mail"')])
    expect(answerText).not.toContain(smtpPassword)
    expect(answerText).not.toContain(imapPassword)

    imap.deliver(mailOfAda())
    await eventually(() => smtp.mails.length).toBe(1)
    expect(smtp.mails[0]).toMatchObject({
      to: ['Ada@example.org'],
      parsed: { subject: 'Re: My parcel', inReplyTo: '<one@example.org>', references: '<one@example.org>' },
    })
    expect(service.endpoint.requests.at(-1)?.body.messages.at(-1)).toMatchObject({
      role: 'user',
      content: 'Where is my parcel?',
    })

    const again = imap.deliver(mailOfAda())
    const answerId = smtp.mails[0]?.parsed.messageId
    imap.deliver(
      mailOfAda(
        { 'Message-ID': '<two@example.org>', 'In-Reply-To': answerId, References: `<one@example.org> ${answerId}` },
        'And now?',
      ),
    )
    await eventually(() => smtp.mails.length).toBe(2)
    expect(again.flags).toContain('AgentTaken')
    expect(smtp.mails[1]?.parsed).toMatchObject({
      inReplyTo: '<two@example.org>',
      references: ['<one@example.org>', answerId, '<two@example.org>'],
    })
    expect(JSON.stringify(service.lines)).not.toMatch(new RegExp(`${smtpPassword}|${imapPassword}`))
  })

  it('answers mail that a relay posted, at the address and in the thread it named', async () => {
    const before = smtp.mails.length
    const posted = await service.post('/v1/inbound', {
      channel: 'mail',
      external_id: 'grace@example.org',
      text: 'Hello',
      message_id: '<relayed@example.org>',
      reply_to: JSON.stringify({ address: 'grace@example.org', subject: 'Hi', message_id: '<relayed@example.org>' }),
    })
    expect(posted.status).toBe(202)
    await eventually(() => smtp.mails.length).toBe(before + 1)
    expect(smtp.mails.at(-1)).toMatchObject({
      to: ['grace@example.org'],
      parsed: { subject: 'Re: Hi', inReplyTo: '<relayed@example.org>' },
    })
  })
})
