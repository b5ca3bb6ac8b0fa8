/** An SMTP server on a socket of its own: it keeps what it takes, and refuses what the test says. */
import type { AddressInfo } from 'node:net'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer } from 'smtp-server'

export const smtpUser = 'agent'
export const smtpPassword = 'smtp-password-5678'

export interface SentMail {
  from: string
  to: string[]
  raw: string
  parsed: ParsedMail
}

export interface SmtpRefusal {
  at: 'auth' | 'sender' | 'recipient' | 'data'
  code: number
  text: string
}

export interface SmtpServer {
  port: number
  mails: SentMail[]
  /** Null: everything is taken. */
  refusal: SmtpRefusal | null
  /** Before a mail that has come is answered. */
  beforeAnswer: () => Promise<void>
  readonly connections: number
  close(): Promise<void>
}

/** @param tls with a certificate that nobody vouches for: from the first byte, or by STARTTLS */
export async function smtpServer(port = 0, tls?: 'first' | 'starttls'): Promise<SmtpServer> {
  const mails: SentMail[] = []
  const refused = (at: SmtpRefusal['at']): Error | undefined => {
    const { refusal } = fake
    return refusal?.at === at ? Object.assign(new Error(refusal.text), { responseCode: refusal.code }) : undefined
  }
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    secure: tls === 'first',
    disabledCommands: tls === 'starttls' ? [] : ['STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 100,
    onAuth(auth, _session, done) {
      const error = refused('auth')
      if (error) return done(error)
      const isRight = auth.username === smtpUser && auth.password === smtpPassword
      done(isRight ? null : new Error('wrong user or password'), { user: smtpUser })
    },
    onMailFrom: (_address, _session, done) => done(refused('sender')),
    onRcptTo: (_address, _session, done) => done(refused('recipient')),
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', async () => {
        const error = refused('data')
        if (error) return done(error)
        const bytes = Buffer.concat(chunks)
        const { mailFrom, rcptTo } = session.envelope
        mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          raw: bytes.toString('latin1'),
          parsed: await simpleParser(bytes),
        })
        await fake.beforeAnswer()
        done(null, 'queued as 42')
      })
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()))
  const fake: SmtpServer = {
    port: (server.server.address() as AddressInfo).port,
    mails,
    refusal: null,
    beforeAnswer: async () => undefined,
    get connections() {
      return server.connections.size
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return fake
}
