/** Sends mails to the SMTP server, with one connection for each, and interprets its refusals. */
import { isIP } from 'node:net'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { Outgoing } from '../../../../runtime/network/outgoing.ts'
import { seconds } from '../../../../runtime/time/duration.ts'
import { DeliveryFailed, type Sent } from '../../adapter.ts'
import { oneLine } from './address.ts'
import type { MailServer } from './config.ts'
import { failureIn, secretForms } from './failure.ts'

const timeouts = {
  connectionTimeout: seconds(15),
  greetingTimeout: seconds(15),
  dnsTimeout: seconds(15),
  socketTimeout: seconds(60),
  socketCloseTimeout: seconds(2),
}
const responseBytesMax = 65_536
const receiptCharactersMax = 255
/** Greylisting servers accept a retry only after a minute or more. */
const greylistedMs = seconds(60)

export interface Submission {
  /** Connects, logs in and disconnects. @throws MailServerFailed */
  verify(signal: AbortSignal): Promise<void>
  /** @throws DeliveryFailed */
  submit(mail: { from: string; to: string; raw: Buffer }, signal: AbortSignal): Promise<Sent>
}

export interface SmtpAccount {
  server: MailServer
  user: string | undefined
  password: string | undefined
  outgoing: Outgoing
}

export function submission(account: SmtpAccount): Submission {
  const { server, user, password } = account
  const secrets = secretForms(user, password)
  const failed = (error: unknown) => failureIn(`the SMTP server ${server.host}:${server.port}`, error, secrets)
  return {
    async verify(signal) {
      if (user !== undefined && password === undefined) throw failed(new Error('there is a user, but no smtp_password'))
      try {
        await session(account, signal, async () => undefined)
      } catch (error) {
        throw failed(error)
      }
    },
    async submit({ from, to, raw }, signal) {
      try {
        return await session(account, signal, (connection) => sent(connection, { from, to: [to] }, raw))
      } catch (error) {
        const { responseCode, command } = error as { responseCode?: unknown; command?: unknown }
        const statusCode = typeof responseCode === 'number' ? responseCode : null
        const { message } = failed(error)
        const isOfMail = command === 'RCPT TO' || command === 'DATA'
        throw new DeliveryFailed(message, {
          // 5xx for the login or the sender can be fixed by the operator; for the receiver or the mail it is final.
          isFinal: isOfMail && statusCode !== null && statusCode >= 500,
          statusCode,
          retryAfterMs: isOfMail && statusCode !== null && statusCode < 500 ? greylistedMs : undefined,
        })
      }
    },
  }
}

/** An abort closes the connection at once. Then it is unknown whether the server took the mail; a retry has the same Message-ID. */
async function session<Result>(
  { server, user, password, outgoing }: SmtpAccount,
  signal: AbortSignal,
  use: (connection: SMTPConnection) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted()
  const { addresses, isInternal } = await outgoing.judged(server, signal)
  const connection = new SMTPConnection({
    host: addresses[0],
    port: server.port,
    ...(isIP(server.host) === 0 && { servername: server.host }),
    secure: server.secure,
    requireTLS: server.isTlsRequired,
    tls: { rejectUnauthorized: !server.isAnyCertificateTaken, minVersion: 'TLSv1.2' },
    maxResponseSize: responseBytesMax,
    // Judged already: the address may be in an internal network that the owner allows.
    allowInternalNetworkInterfaces: true,
    logger: false,
    ...timeouts,
  })
  const { promise: ended, reject } = Promise.withResolvers<never>()
  ended.catch(() => undefined)
  connection.on('error', reject)
  connection.on('end', () => reject(new Error('the connection ended')))
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    await Promise.race([ended, called((done) => connection.connect(done))]).catch((error: Error) => {
      throw signal.aborted ? error : outgoing.failure({ ...server, isInternal }, error)
    })
    if (user !== undefined) {
      const credentials = { user, pass: password ?? '' }
      await Promise.race([ended, called((done) => connection.login({ user, credentials }, done))])
    }
    const result = await Promise.race([ended, use(connection)])
    connection.quit()
    return result
  } catch (error) {
    connection.close()
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function sent(connection: SMTPConnection, envelope: { from: string; to: string[] }, raw: Buffer): Promise<Sent> {
  return new Promise((resolve, reject) => {
    connection.send(envelope, raw, (error, info) => {
      if (error) return reject(error)
      const response = typeof info?.response === 'string' ? info.response : ''
      const statusCode = Number(/^\d{3}/.exec(response)?.[0] ?? 250)
      resolve({ statusCode, receipt: oneLine(response, receiptCharactersMax) || null })
    })
  })
}

function called(call: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => call((error) => (error ? reject(error) : resolve())))
}
