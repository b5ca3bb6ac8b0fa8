/** Answers through a real SMTP server: in the thread, once by their identifier, and what refusals mean. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DeliveryFailed } from '../../../../actors/channel/adapter.ts'
import { eventually } from './support/eventually.ts'
import { delivery, type OpenEmail, openEmail } from './support/open-email.ts'
import { type SmtpRefusal, type SmtpServer, smtpServer } from './support/smtp-server.ts'

const never = new AbortController().signal

let smtp: SmtpServer
let channel: OpenEmail

beforeEach(async () => {
  smtp = await smtpServer()
  channel = openEmail({ smtp: smtp.port })
})

afterEach(async () => {
  await channel.transport.close()
  await smtp.close()
})

const thread = {
  address: 'Ada@example.org',
  name: 'Ada Lovelace',
  subject: 'My parcel',
  message_id: '<two@example.org>',
  references: ['<zero@example.org>', '<one@example.org>'],
}

describe('an answer', () => {
  it('goes to the sender, into their thread, and says that a machine wrote it', async () => {
    const answer = delivery({ replyTo: thread })
    const sent = await channel.transport.send(answer, never)
    expect(sent).toEqual({ statusCode: 250, receipt: expect.stringContaining('queued as 42') })
    const [mail] = smtp.mails
    expect(mail).toMatchObject({ from: 'agent@example.com', to: ['Ada@example.org'] })
    expect(mail?.parsed).toMatchObject({
      subject: 'Re: My parcel',
      inReplyTo: '<two@example.org>',
      references: ['<zero@example.org>', '<one@example.org>', '<two@example.org>'],
      messageId: `<${answer.id}@example.com>`,
      date: answer.createdAt,
    })
    expect(mail?.parsed.from?.text).toBe('agent@example.com')
    expect(mail?.parsed.to).toMatchObject({ value: [{ address: 'Ada@example.org', name: 'Ada Lovelace' }] })
    expect(mail?.parsed.headers.get('auto-submitted')).toBe('auto-replied')
    expect(mail?.parsed.headers.get('x-auto-response-suppress')).toBe('All')
  })

  it('has the text as it is, and as HTML in which nothing of it is markup', async () => {
    const text = 'Dear <b>Ada</b> & "all",\n\nyour parcel:\n1. left\n2. arrived 🎉'
    await channel.transport.send(delivery({ text }), never)
    const { parsed } = smtp.mails[0] ?? {}
    expect(parsed?.text?.trim()).toBe(text)
    expect(parsed?.html).toContain('<p>Dear &lt;b&gt;Ada&lt;/b&gt; &amp; &quot;all&quot;,</p>')
    expect(parsed?.html).toContain('<p>your parcel:<br>\n1. left<br>\n2. arrived 🎉</p>')
  })

  it('has the same Message-ID however often it is sent', async () => {
    const answer = delivery()
    await channel.transport.send(answer, never)
    await channel.transport.send({ ...answer, attempts: 1 }, never)
    expect(new Set(smtp.mails.map(({ parsed }) => parsed.messageId)).size).toBe(1)
  })

  it.each([
    ['Re: My parcel', 'Re: My parcel'],
    ['AW: Mein Paket', 'AW: Mein Paket'],
    ['Regarding my parcel', 'Re: Regarding my parcel'],
    [null, 'Re: your message'],
  ])('to the subject %j has the subject %j', async (subject, answered) => {
    await channel.transport.send(delivery({ replyTo: { ...thread, subject } }), never)
    expect(smtp.mails[0]?.parsed.subject).toBe(answered)
  })

  it.each([
    ['an address', 'grace@example.org', 'grace@example.org', undefined],
    ['a thread as JSON', JSON.stringify(thread), 'Ada@example.org', '<two@example.org>'],
    ['nothing', null, 'ada@example.org', undefined],
  ])('goes where a relay said: %s', async (_what, replyTo, receiver, inReplyTo) => {
    await channel.transport.send(delivery({ replyTo }), never)
    expect(smtp.mails[0]?.to).toEqual([receiver])
    expect(smtp.mails[0]?.parsed.inReplyTo).toBe(inReplyTo)
  })

  it.each([
    'ada@example.org\r\nBcc: eve@example.net',
    'ada@example.org, eve@example.net',
    'Ada <ada@example.org>',
    'ada@example.org>\r\nRCPT TO:<eve@example.net',
    'ada',
    '{"address": "ada@example.org\\nCc: eve@example.net"}',
    '{broken',
    '',
  ])('is not sent to %j, for good', async (address) => {
    const failure = await failureOf(delivery({ replyTo: address }))
    expect(failure.isFinal).toBe(true)
    expect(smtp.mails).toEqual([])
  })

  it('cannot be given headers by a subject, a name or a Message-ID', async () => {
    const evil = '\r\nBcc: eve@example.net\r\n\r\nhello'
    const replyTo = {
      ...thread,
      name: `Ada"${evil}`,
      subject: `Parcel${evil}`,
      message_id: `<two@example.org>${evil}`,
      references: [`<one@example.org${evil}>`],
    }
    await channel.transport.send(delivery({ replyTo }), never)
    const { to, parsed, raw } = smtp.mails[0] ?? {}
    expect(to).toEqual(['Ada@example.org'])
    expect(parsed?.headers.has('bcc')).toBe(false)
    expect(raw).not.toMatch(/^bcc:/im)
    expect(parsed).toMatchObject({ inReplyTo: '<two@example.org>', subject: 'Re: Parcel Bcc: eve@example.net hello' })
    expect(parsed?.references).toBe('<two@example.org>')
  })

  it('counts as one destination with all others of the server', () => {
    expect(channel.transport.destinationOf(delivery())).toBe(`127.0.0.1:${smtp.port}`)
  })
})

describe('a refusal', () => {
  const refusals: [SmtpRefusal['at'], number, { isFinal: boolean; retryAfterMs: number | undefined }][] = [
    ['recipient', 550, { isFinal: true, retryAfterMs: undefined }],
    ['recipient', 451, { isFinal: false, retryAfterMs: 60_000 }],
    ['data', 554, { isFinal: true, retryAfterMs: undefined }],
    ['data', 452, { isFinal: false, retryAfterMs: 60_000 }],
    ['sender', 550, { isFinal: false, retryAfterMs: undefined }],
    ['auth', 535, { isFinal: false, retryAfterMs: undefined }],
  ]
  it.each(refusals)('of the %s with %i is %j', async (at, code, expected) => {
    smtp.refusal = { at, code, text: 'not like this' }
    const failure = await failureOf(delivery())
    expect(failure).toMatchObject({ ...expected, statusCode: code })
    expect(failure.message).toContain('not like this')
  })

  it('does not show the password, even where the server repeats it', async () => {
    const password = 'smtp-password-5678'
    const plain = Buffer.from(`\0agent\0${password}`).toString('base64')
    smtp.refusal = {
      at: 'auth',
      code: 535,
      text: `no: ${password} ${Buffer.from(password).toString('base64')} ${plain}`,
    }
    const failures = [
      await failureOf(delivery()),
      await channel.transport.connect(never).catch((error: Error) => error),
    ]
    for (const failure of failures) {
      const { message, stack, cause } = failure as Error
      const failureText = JSON.stringify([message, stack, String(cause), { ...(failure as Error) }])
      expect(failureText).toContain('[redacted]')
      for (const form of [password, Buffer.from(password).toString('base64'), plain])
        expect(failureText).not.toContain(form)
    }
  })
})

describe('a server', () => {
  it('hinders the connection while it is down, and no longer', async () => {
    await smtp.close()
    await expect(channel.transport.connect(never)).rejects.toThrow(
      /the SMTP server 127\.0\.0\.1:\d+: 127\.0\.0\.1 cannot be reached/,
    )
    expect(await failureOf(delivery())).toMatchObject({ isFinal: false, statusCode: null })
    smtp = await smtpServer(smtp.port)
    await channel.transport.connect(never)
    await channel.transport.send(delivery(), never)
    expect(smtp.mails).toHaveLength(1)
  })

  it('is logged in to before anything is sent: a wrong password hinders the connection', async () => {
    const other = openEmail({ smtp: smtp.port }, { secrets: { smtp_password: 'wrong' } })
    await expect(other.transport.connect(never)).rejects.toThrow('535')
    const none = openEmail({ smtp: smtp.port }, { secrets: {} })
    await expect(none.transport.connect(never)).rejects.toThrow('no smtp_password')
  })

  it('is not given a password without TLS where TLS is required', async () => {
    const strict = openEmail({ smtp: smtp.port }, { tls: { required: true } })
    await expect(strict.transport.connect(never)).rejects.toThrow(/TLS/i)
    expect(await strict.transport.send(delivery(), never).catch((error: unknown) => error)).toMatchObject({
      isFinal: false,
    })
    expect(smtp.mails).toEqual([])
  })

  it('that does not answer is left when the try is over', async () => {
    const answered = Promise.withResolvers<void>()
    smtp.beforeAnswer = () => answered.promise
    const over = new AbortController()
    const sending = failureOf(delivery(), over.signal)
    await eventually(() => smtp.mails.length).toBe(1)
    over.abort(new Error('no answer in time'))
    expect(await sending).toMatchObject({ isFinal: false, message: expect.stringContaining('no answer in time') })
    answered.resolve()
    await eventually(() => smtp.connections).toBe(0)
  })

  it('keeps no connection after an answer was sent', async () => {
    await channel.transport.send(delivery(), never)
    await eventually(() => smtp.connections).toBe(0)
  })
})

async function failureOf(answer: ReturnType<typeof delivery>, signal = never): Promise<DeliveryFailed> {
  const failure = await channel.transport.send(answer, signal).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(DeliveryFailed)
  return failure as DeliveryFailed
}
