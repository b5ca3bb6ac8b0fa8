/** A mail as bytes, read: which part is the text, who sent it, what is attached, and whether a person waits for an answer. */
import { describe, expect, it } from 'vitest'
import { type IncomingMail, readMail } from '../../../../actors/channel/adapters/email/incoming.ts'
import { processorMs } from '../../../support/processor-ms.ts'
import { mailOfAda } from './support/open-email.ts'

const own = new Set(['agent@example.com'])
const read = (raw: string): Promise<IncomingMail> => readMail(Buffer.from(raw.replace(/\r?\n/g, '\r\n')), own)

async function messageIn(raw: string) {
  const mail = await read(raw)
  if (mail.kind !== 'message') throw new Error(`no message: ${mail.why}`)
  return mail.message
}

const html = { 'Content-Type': 'text/html; charset=utf-8' }

function parts(kind: string, ...bodies: [head: string, body: string][]): string {
  const inner = bodies.map(([head, body]) => `--part\n${head}\n\n${body}\n`).join('')
  return mailOfAda({ 'Content-Type': `multipart/${kind}; boundary=part` }, `${inner}--part--`)
}

describe('the text', () => {
  it('is the plain one where there are two', async () => {
    const raw = parts('alternative', ['Content-Type: text/plain', 'plain'], ['Content-Type: text/html', '<p>HTML</p>'])
    expect((await messageIn(raw)).content).toBe('plain')
  })

  it.each([
    ['alone', mailOfAda(html, '<p>Hello</p><p>where <b>is</b> it?</p>')],
    [
      'as the only alternative',
      parts('alternative', ['Content-Type: text/html', '<p>Hello</p><p>where <b>is</b> it?</p>']),
    ],
    ['beside pictures', parts('related', ['Content-Type: text/html', '<p>Hello</p><p>where <b>is</b> it?</p>'])],
    [
      'beside a blank plain text',
      parts(
        'alternative',
        ['Content-Type: text/plain', ' '],
        ['Content-Type: text/html', '<p>Hello</p><p>where <b>is</b> it?</p>'],
      ),
    ],
  ])('is made of HTML that comes %s', async (_how, raw) => {
    expect((await messageIn(raw)).content).toBe('Hello\n\nwhere is it?')
  })

  it('of HTML loses the quote that Gmail puts beneath', async () => {
    const quote =
      '<div class="gmail_quote"><div dir="ltr">On Mon, Mar 2, 2026 at 10:00 AM Agent &lt;<a href="mailto:agent@example.com">agent@example.com</a>&gt; wrote:<br></div><blockquote class="gmail_quote"><p>Shall we?</p></blockquote></div>'
    expect((await messageIn(mailOfAda(html, `<div dir="ltr">Yes.</div><br>${quote}`))).content).toBe('Yes.')
  })

  it('of HTML loses the header block that Outlook puts beneath', async () => {
    const block =
      '<hr><div><b>From:</b> Agent &lt;agent@example.com&gt;<br><b>Sent:</b> Monday, March 2, 2026 10:00 AM<br><b>To:</b> Ada<br><b>Subject:</b> Re: My parcel</div><p>Shall we?</p>'
    expect((await messageIn(mailOfAda(html, `<p>Yes.</p>${block}`))).content).toBe('Yes.')
  })

  it('is read in the encoding it was written in, without its signature', async () => {
    const encoded = {
      'Content-Type': 'text/plain; charset=iso-8859-1',
      'Content-Transfer-Encoding': 'quoted-printable',
    }
    expect((await messageIn(mailOfAda(encoded, 'Gr=FC=DFe\n\n--=20\nAda'))).content).toBe('Grüße')
  })

  it('of a mail with nothing but a subject is the subject', async () => {
    expect((await messageIn(mailOfAda({ Subject: '=?utf-8?Q?R=C3=BCckruf?=' }, ''))).content).toBe('Rückruf')
  })

  it('holds what can be stored, and not more than is allowed', async () => {
    expect((await messageIn(mailOfAda({}, 'a\0b'))).content).toBe('ab')
    const long = String((await messageIn(mailOfAda({}, 'word '.repeat(40_000)))).content)
    expect(long.length).toBeLessThan(100_100)
    expect(long).toMatch(/\n\[the rest of the mail was cut off\]$/)
  })

  it('of HTML too large to be parsed here is its beginning', async () => {
    const spentMs = await processorMs(async () => {
      const message = await messageIn(mailOfAda(html, `<p>Hello</p>${'<p>more</p>\n'.repeat(300_000)}`))
      expect(String(message.content)).toMatch(/^Hello\n\nmore/)
    })
    expect(spentMs).toBeLessThan(5_000)
  })

  it('of HTML nested deeper than a parser follows is its words', async () => {
    const message = await messageIn(mailOfAda(html, `${'<div>'.repeat(20_000)}Where is it?`))
    expect(message.content).toBe('Where is it?')
  })

  it('names what is attached', async () => {
    const raw = parts(
      'mixed',
      ['Content-Type: text/plain', 'See the bill.'],
      [
        'Content-Type: application/pdf; name="bill.pdf"\nContent-Disposition: attachment; filename="bill.pdf"',
        'x'.repeat(2_048),
      ],
      ['Content-Type: image/png\nContent-Disposition: attachment; filename="a\tb.png"', 'x'],
    )
    expect((await messageIn(raw)).content).toBe(
      'See the bill.\n[attachment] bill.pdf (application/pdf, 2 KiB)\n[attachment] a b.png (image/png, 1 B)',
    )
  })

  it('names no more than twenty attachments, and counts the others', async () => {
    const one: [string, string] = ['Content-Type: text/csv\nContent-Disposition: attachment; filename="a.csv"', 'x']
    const { content } = await messageIn(parts('mixed', ...Array.from({ length: 25 }, () => one)))
    expect(String(content).split('\n')).toHaveLength(21)
    expect(content).toMatch(/\[attachment\] 5 more$/)
  })
})

describe('the sender', () => {
  it('is one conversation whatever the case of the address', async () => {
    const [one, other] = [await messageIn(mailOfAda()), await messageIn(mailOfAda({ From: 'ADA@EXAMPLE.ORG' }))]
    expect([one.externalId, other.externalId]).toEqual(['ada@example.org', 'ada@example.org'])
    expect(other.senderName).toBeNull()
  })

  it('is answered, and not whom Reply-To names: that may be anybody', async () => {
    const { replyTo } = await messageIn(mailOfAda({ 'Reply-To': 'eve@example.net' }))
    expect(replyTo).toMatchObject({ address: 'Ada@example.org' })
  })

  it.each([
    undefined,
    'Ada',
    'ada@example.org, eve@example.net',
    'ada@example.org\nFrom: eve@example.net',
    '"a b"@example.org',
    'Group: ada@example.org;',
  ])('must be one that can be answered, not %j', async (From) => {
    expect(await read(mailOfAda({ From }))).toMatchObject({ kind: 'refused' })
  })
})

describe('the thread', () => {
  it('holds the identifiers of the mail and of those before it, bounded and each once', async () => {
    const References = Array.from({ length: 60 }, (_, number) => `<${number}@example.org>`).join('\n ')
    const { replyTo } = await messageIn(mailOfAda({ References, 'In-Reply-To': '<59@example.org>' }))
    const { references, message_id } = replyTo as { references: string[]; message_id: string }
    expect(message_id).toBe('<one@example.org>')
    expect([references.length, references[0], references[1], references.at(-1)]).toEqual([
      20,
      '<0@example.org>',
      '<41@example.org>',
      '<59@example.org>',
    ])
  })

  it('does without a Message-ID: the mail is known by its bytes', async () => {
    const bare = mailOfAda({ 'Message-ID': undefined })
    const [one, again, other] = [await messageIn(bare), await messageIn(bare), await messageIn(`${bare}.`)]
    expect(one.messageId).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect([again.messageId, other.messageId === one.messageId]).toEqual([one.messageId, false])
    expect(one.replyTo).toMatchObject({ message_id: null, references: [] })
  })
})

describe('a mail that nobody answers', () => {
  const automatic: [Record<string, string>][] = [
    [{ 'Auto-Submitted': 'auto-replied' }],
    [{ 'Auto-Submitted': 'auto-generated (vacation)' }],
    [{ Precedence: 'bulk' }],
    [{ Precedence: 'List' }],
    [{ Precedence: 'junk' }],
    [{ 'X-Auto-Response-Suppress': 'DR, OOF, AutoReply' }],
    [{ 'X-Auto-Response-Suppress': 'All' }],
    [{ 'List-Id': 'Parcels <parcels.example.org>' }],
    [{ 'Return-Path': '<>' }],
    [{ 'Content-Type': 'multipart/report; report-type=delivery-status; boundary=x' }],
    [{ From: 'MAILER-DAEMON@example.org' }],
    [{ From: 'postmaster@example.org' }],
    [{ From: 'Shop <no-reply@example.org>' }],
    [{ From: 'noreply+42@example.org' }],
    [{ From: 'do-not-reply@example.org' }],
    [{ From: 'Agent@Example.com' }],
  ]
  it.each(automatic)('has %j', async (headers) => {
    expect(await read(mailOfAda(headers))).toMatchObject({ kind: 'ignored' })
  })

  const personal: [Record<string, string>][] = [
    [{ 'Auto-Submitted': 'no' }],
    [{ 'Auto-Submitted': 'No; comment="by hand"' }],
    [{ Precedence: 'first-class' }],
    [{ 'X-Auto-Response-Suppress': 'RN, NRN' }],
    [{ 'Return-Path': '<ada@example.org>' }],
    [{ From: 'noreplying@example.org' }],
  ]
  it.each(personal)('is not one with %j', async (headers) => {
    expect(await read(mailOfAda(headers))).toMatchObject({ kind: 'message' })
  })

  it('is one without any text, subject or attachment', async () => {
    expect(await read(mailOfAda({ Subject: undefined }, ''))).toMatchObject({ kind: 'ignored', why: 'it is empty' })
  })
})

describe('bytes that are no mail', () => {
  it.each(['', 'hello', '\0\xff\n\n', 'From: \nContent-Type: multipart/mixed\n\n'])('%j are refused', async (raw) => {
    expect(await read(raw)).toMatchObject({ kind: 'refused' })
  })
})
