/** Mail in a mailbox of a real IMAP server: taken once, in order, marked after the commit, and found again after a loss. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { virtualClock } from '../../../support/virtual-clock.ts'
import { eventually } from './support/eventually.ts'
import { type ImapServer, imapPassword, imapServer } from './support/imap-server.ts'
import { mailOfAda, type OpenEmail, openEmail } from './support/open-email.ts'
import { type SmtpServer, smtpServer } from './support/smtp-server.ts'

const never = new AbortController().signal
const mark = 'AgentTaken'
const numbered = (number: number, headers: Record<string, string> = {}) =>
  mailOfAda({ 'Message-ID': `<${number}@example.org>`, ...headers }, `Message ${number}`)

let smtp: SmtpServer
let imap: ImapServer
let channels: OpenEmail[]

beforeEach(async () => {
  smtp = await smtpServer()
  imap = await imapServer()
  channels = []
})

afterEach(async () => {
  for (const { transport } of channels) await transport.close()
  await imap.close()
  await smtp.close()
})

function opened(more: Parameters<typeof openEmail>[1] = {}): OpenEmail {
  const channel = openEmail({ smtp: smtp.port, imap: imap.port }, more)
  channels.push(channel)
  return channel
}

const isIdle = () => imap.commands.at(-1) === 'IDLE'

describe('a mailbox', () => {
  it('hands mail that waits over once, with sender, text and thread, and marks it', async () => {
    const stored = imap.deliver(mailOfAda({ References: '<zero@example.org>' }))
    const { transport, taken, handed } = opened()
    await transport.connect(never)
    await eventually(() => stored.flags).toEqual([mark, '\\Seen'])
    await eventually(isIdle).toBe(true)
    expect(handed).toHaveLength(1)
    expect(taken).toEqual([
      {
        externalId: 'ada@example.org',
        messageId: '<one@example.org>',
        content: 'Where is my parcel?',
        senderName: 'Ada Lovelace',
        replyTo: {
          address: 'Ada@example.org',
          name: 'Ada Lovelace',
          subject: 'My parcel',
          message_id: '<one@example.org>',
          references: ['<zero@example.org>'],
        },
      },
    ])
  })

  it('tells of new mail while the connection idles', async () => {
    const { transport, taken } = opened()
    await transport.connect(never)
    await eventually(isIdle).toBe(true)
    const stored = imap.deliver(mailOfAda())
    await eventually(() => stored.flags).toContain(mark)
    await eventually(isIdle).toBe(true)
    imap.deliver(numbered(2))
    await eventually(() => taken.map(({ content }) => content)).toEqual(['Where is my parcel?', 'Message 2'])
  })

  it('hands mail over one at a time, in order, also what comes meanwhile', async () => {
    for (const number of [1, 2, 3]) imap.deliver(numbered(number))
    const channel = opened()
    let underWay = 0
    let most = 0
    channel.beforeTaking = async () => {
      most = Math.max(most, ++underWay)
      if (channel.handed.length === 1) imap.deliver(numbered(4))
      await new Promise((resolve) => setImmediate(resolve))
      underWay--
    }
    await channel.transport.connect(never)
    await eventually(() => channel.taken.map(({ content }) => content)).toEqual([
      'Message 1',
      'Message 2',
      'Message 3',
      'Message 4',
    ])
    expect(most).toBe(1)
  })

  it('marks nothing before the message is committed, and hands it over again after a lost connection', async () => {
    const stored = imap.deliver(mailOfAda())
    const channel = opened()
    const commit = Promise.withResolvers<void>()
    channel.beforeTaking = () => commit.promise
    await channel.transport.connect(never)
    await eventually(() => channel.handed.length).toBe(1)
    expect(stored.flags).toEqual([])
    imap.cut()
    await expect(channel.transport.lost).rejects.toThrow('the IMAP server 127.0.0.1')
    channel.beforeTaking = async () => undefined
    await channel.transport.connect(never)
    await eventually(() => stored.flags).toContain(mark)
    expect(channel.handed.map(({ messageId }) => messageId)).toEqual(['<one@example.org>', '<one@example.org>'])
    commit.resolve()
  })

  it('does not hand over again what is marked, after a lost connection or a new start', async () => {
    const stored = imap.deliver(mailOfAda())
    const channel = opened()
    await channel.transport.connect(never)
    await eventually(() => stored.flags).toContain(mark)
    imap.cut()
    await expect(channel.transport.lost).rejects.toThrow()
    await channel.transport.connect(never)
    const later = opened()
    await later.transport.connect(never)
    imap.deliver(numbered(2))
    await eventually(() => later.taken.map(({ content }) => content)).toEqual(['Message 2'])
    expect(channel.handed.filter(({ messageId }) => messageId === '<one@example.org>')).toHaveLength(1)
  })

  it('is tried again while messages cannot be committed; a sender whose mail waits keeps their order', async () => {
    const clock = virtualClock(Date.now())
    const first = imap.deliver(numbered(1))
    const second = imap.deliver(numbered(2))
    const other = imap.deliver(numbered(3, { From: 'grace@example.org' }))
    const channel = opened({ clock })
    channel.beforeTaking = async ({ messageId }) => {
      if (messageId === '<1@example.org>') throw new Error('the backlog is full')
    }
    await channel.transport.connect(never)
    for (let tries = 1; tries < 4; tries++) {
      await eventually(() => clock.timersWaiting).toBe(1)
      await clock.advance(30_000)
      await eventually(() => channel.handed.length).toBeGreaterThan(tries)
    }
    await eventually(() => other.flags).toContain(mark)
    expect(channel.taken.map(({ messageId }) => messageId)).toEqual(['<3@example.org>'])
    expect([first.flags, second.flags]).toEqual([[], []])
    channel.beforeTaking = async () => undefined
    await eventually(isIdle).toBe(true)
    await clock.advance(60_000)
    await eventually(() => second.flags).toContain(mark)
    expect(channel.taken.map(({ messageId }) => messageId)).toEqual([
      '<3@example.org>',
      '<1@example.org>',
      '<2@example.org>',
    ])
  })

  it('looks again after five minutes in which the server said nothing', async () => {
    const clock = virtualClock(Date.now())
    const { transport } = opened({ clock })
    await transport.connect(never)
    await eventually(isIdle).toBe(true)
    const searches = () => imap.commands.filter((command) => command.startsWith('UID SEARCH')).length
    const before = searches()
    await clock.advance(5 * 60_000)
    await eventually(searches).toBe(before + 1)
  })

  it('leaves alone what people had read before the channel came, and what is older than a week', async () => {
    const read = imap.deliver(numbered(1), { flags: ['\\Seen'] })
    const old = imap.deliver(numbered(2), { at: new Date(Date.now() - 10 * 86_400_000) })
    imap.deliver(numbered(3))
    const { transport, taken } = opened()
    await transport.connect(never)
    await eventually(() => taken.map(({ content }) => content)).toEqual(['Message 3'])
    await eventually(isIdle).toBe(true)
    expect(read.flags).toEqual(['\\Seen', mark])
    expect(old.flags).toEqual([])
  })

  it('gives the agent mail that a colleague looked at first', async () => {
    const first = imap.deliver(numbered(1))
    const channel = opened()
    await channel.transport.connect(never)
    await eventually(() => first.flags).toContain(mark)
    imap.cut()
    await expect(channel.transport.lost).rejects.toThrow()
    imap.deliver(numbered(2), { flags: ['\\Seen'] })
    await channel.transport.connect(never)
    await eventually(() => channel.taken.map(({ content }) => content)).toEqual(['Message 1', 'Message 2'])
  })

  it('goes by what is read where the server keeps no keywords', async () => {
    await imap.close()
    imap = await imapServer({ keepsKeywords: false })
    const stored = imap.deliver(mailOfAda())
    const channel = opened()
    await channel.transport.connect(never)
    await eventually(() => stored.flags).toEqual(['\\Seen'])
    imap.cut()
    await expect(channel.transport.lost).rejects.toThrow()
    await channel.transport.connect(never)
    imap.deliver(numbered(2))
    await eventually(() => channel.taken.map(({ content }) => content)).toEqual(['Where is my parcel?', 'Message 2'])
  })

  it('does not hand over automatic mail, and leaves it unread for people', async () => {
    const away = imap.deliver(mailOfAda({ 'Auto-Submitted': 'auto-replied' }))
    imap.deliver(numbered(2))
    const { transport, taken } = opened()
    await transport.connect(never)
    await eventually(() => taken.map(({ content }) => content)).toEqual(['Message 2'])
    expect(away.flags).toEqual([mark])
  })

  it('flags a mail of more than 10 MiB without fetching it, and goes on', async () => {
    const large = imap.deliver(mailOfAda({}, 'x'.repeat(76).concat('\n').repeat(140_000)))
    imap.deliver(numbered(2))
    const { transport, taken, lines } = opened()
    await transport.connect(never)
    await eventually(() => taken.map(({ content }) => content)).toEqual(['Message 2'])
    expect(large.flags).toEqual([mark, '\\Flagged'])
    expect(imap.commands.filter((command) => command.includes('BODY.PEEK[]'))).toHaveLength(1)
    expect(lines.map(({ msg }) => msg)).toContain('a mail is larger than 10 MiB; it is flagged and not taken')
  })

  it('ends without a word when it is closed', async () => {
    const { transport } = opened()
    await transport.connect(never)
    const { lost } = transport
    await transport.close()
    await expect(lost).resolves.toBeUndefined()
    await eventually(() => imap.connections).toBe(0)
  })
})

describe('a mailbox that cannot be reached', () => {
  it('hinders the connection while the server is down, and no longer', async () => {
    await imap.close()
    const { transport, taken } = opened()
    await expect(transport.connect(never)).rejects.toThrow(
      /the IMAP server 127\.0\.0\.1:\d+: 127\.0\.0\.1 cannot be reached/,
    )
    imap = await imapServer({ port: imap.port })
    imap.deliver(mailOfAda())
    await transport.connect(never)
    await eventually(() => taken.length).toBe(1)
  })

  it('names the server and the reason when the login is refused, and not the password, even where the server does', async () => {
    await imap.close()
    imap = await imapServer({ loginRefusal: `not with ${imapPassword}` })
    const { transport, lines } = opened()
    const error = await transport.connect(never).catch((reason: unknown) => reason)
    expect(String(error)).toMatch(/the IMAP server 127\.0\.0\.1:\d+: .*not with \[redacted\]/)
    expect(everythingOf(error) + JSON.stringify(lines)).not.toContain(imapPassword)
  })
})

function everythingOf(error: unknown): string {
  const { message, stack, cause } = error as Error
  return JSON.stringify([message, stack, String(cause), { ...(error as object) }])
}
