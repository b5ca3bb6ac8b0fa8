/** Mail servers with TLS: a certificate that nobody vouches for is refused, unless an operator says that any will do. */
import { afterEach, describe, expect, it } from 'vitest'
import { Config, serverOf } from '../../../../actors/channel/adapters/email/config.ts'
import { eventually } from './support/eventually.ts'
import { imapServer } from './support/imap-server.ts'
import { delivery, mailOfAda, openEmail } from './support/open-email.ts'
import { smtpServer } from './support/smtp-server.ts'

const never = new AbortController().signal
const anyCertificate = { reject_unauthorized: false, required: true }

let ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.reverse()) await end()
  ends = []
})

function ending<Part extends { close(): Promise<void> }>(part: Part): Part {
  ends.push(() => part.close())
  return part
}

describe('a certificate that nobody vouches for', () => {
  it('hinders sending and reading', async () => {
    const smtp = ending(await smtpServer(0, 'first'))
    const imap = ending(await imapServer({ tls: true }))
    const { transport } = openEmail({ smtp: smtp.port }, { secure: true })
    await expect(transport.connect(never)).rejects.toThrow(/the SMTP server .*certificate/)
    const plain = ending(await smtpServer())
    const reading = openEmail({ smtp: plain.port, imap: imap.port }, { isImapSecure: true })
    await expect(reading.transport.connect(never)).rejects.toThrow(/the IMAP server .*certificate/)
    expect(smtp.mails).toEqual([])
  })

  it('will do where an operator says so, from the first byte', async () => {
    const smtp = ending(await smtpServer(0, 'first'))
    const imap = ending(await imapServer({ tls: true }))
    imap.deliver(mailOfAda())
    const channel = openEmail({ smtp: smtp.port, imap: imap.port }, { secure: true, tls: anyCertificate })
    ending(channel.transport)
    await channel.transport.connect(never)
    await channel.transport.send(delivery(), never)
    expect(smtp.mails).toHaveLength(1)
    await eventually(() => channel.taken.length).toBe(1)
  })

  it('will do where an operator says so, by STARTTLS', async () => {
    const smtp = ending(await smtpServer(0, 'starttls'))
    const { transport } = openEmail({ smtp: smtp.port }, { tls: anyCertificate })
    await transport.send(delivery(), never)
    expect(smtp.mails).toHaveLength(1)
    const strict = openEmail({ smtp: smtp.port })
    await expect(strict.transport.connect(never)).rejects.toThrow(/certificate/)
  })
})

describe('a mailbox without TLS', () => {
  it('is not logged in to where TLS is required', async () => {
    const smtp = ending(await smtpServer(0, 'starttls'))
    const imap = ending(await imapServer())
    const { transport } = openEmail({ smtp: smtp.port, imap: imap.port }, { tls: anyCertificate })
    await expect(transport.connect(never)).rejects.toThrow(/the IMAP server .*STARTTLS/)
    expect(imap.commands.filter((command) => /LOGIN|AUTHENTICATE/.test(command))).toEqual([])
  })
})

describe('without a word about it', () => {
  it.each([
    ['mail.example.com', true],
    ['192.0.2.1', true],
    ['localhost', false],
    ['127.0.0.1', false],
    ['::1', false],
    ['127.0.0.1.example.com', true],
  ])('TLS to %s is required: %s', (host, isRequired) => {
    const { smtp, tls } = Config.parse({ smtp: { host, from: 'agent@example.com' } })
    expect(serverOf(smtp, tls)).toMatchObject({ isTlsRequired: isRequired, isAnyCertificateTaken: false })
  })
})
