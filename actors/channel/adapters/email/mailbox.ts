/** The connection to a mailbox: opens it, waits for new mail, and reports a loss. */
import { isIP } from 'node:net'
import { ImapFlow, type MailboxObject } from 'imapflow'
import { minutes, seconds } from '../../../../runtime/time/duration.ts'
import type { AdapterDependencies } from '../../adapter.ts'
import type { MailboxAccount } from './account.ts'
import type { MailServer } from './config.ts'
import { failureIn, type MailServerFailed, secretForms } from './failure.ts'
import { type Intake, intake } from './intake.ts'

/** The mailbox is searched at least this often: IDLE connections can die unnoticed, and some servers have no IDLE. */
const sweepMs = minutes(5)
/** After a sweep that could not take all mail. */
const retryMs = minutes(1)

/** Above the largest mail that is fetched. */
const literalBytesMax = 16 * 1_048_576

export interface Mailbox {
  /** Closes the previous connection. @throws MailServerFailed, the signal's reason */
  connect(signal: AbortSignal): Promise<void>
  /** Of the newest connection. */
  readonly lost: Promise<void>
  close(): void
}

interface Connection {
  lost: Promise<void>
  close(): void
}

export function mailbox(account: MailboxAccount, dependencies: AdapterDependencies): Mailbox {
  let connection: Connection | undefined
  return {
    async connect(signal) {
      connection?.close()
      connection = await openConnection(account, dependencies, signal)
    },
    get lost() {
      return connection?.lost ?? Promise.resolve()
    },
    close: () => connection?.close(),
  }
}

function openConnection(
  account: MailboxAccount,
  dependencies: AdapterDependencies,
  signal: AbortSignal,
): Promise<Connection> {
  return openMailbox(account, { isReadOnly: false, signal }, async ({ client, opened, failed }) => {
    if (opened.readOnly)
      throw new Error(`the mailbox ${account.mailbox} is read-only: what was taken could not be marked`)
    signal.throwIfAborted()
    const ended = new AbortController()
    const lost = Promise.withResolvers<void>()
    lost.promise.catch(() => undefined)
    client.on('close', () => end(new Error('the connection was closed')))

    function end(error?: unknown): void {
      ended.abort()
      if (error === undefined) lost.resolve()
      else lost.reject(failed(error))
      client.close()
    }
    const taking = intake(client, account, dependencies, ended.signal)
    await taking.begin()
    // Runs until the connection ends; a failure ends the connection.
    watch(client, taking, dependencies, ended.signal).catch(end)
    return { lost: lost.promise, close: () => end() }
  })
}

/** Logs in, opens the mailbox for reading only, and leaves. @throws MailServerFailed */
export function checkMailbox(account: MailboxAccount, signal: AbortSignal): Promise<string> {
  return openMailbox(account, { isReadOnly: true, signal }, async ({ client, opened }) => {
    await client.logout()
    return `${account.mailbox} on ${account.server.host}:${account.server.port} holds ${opened.exists} mails`
  })
}

interface OpenMailbox {
  client: ImapFlow
  opened: MailboxObject
  /** An error of this connection, without passwords. */
  failed(error: unknown): MailServerFailed
}

/** Logs in and opens the mailbox for `use`. The connection is closed where that fails or the signal aborts. @throws MailServerFailed */
async function openMailbox<Result>(
  { server, user, password, mailbox: name, outgoing }: MailboxAccount,
  { isReadOnly, signal }: { isReadOnly: boolean; signal: AbortSignal },
  use: (mailbox: OpenMailbox) => Promise<Result>,
): Promise<Result> {
  let firstError: unknown
  const secrets = secretForms(user, password)
  const failed = (error: unknown) =>
    failureIn(`the IMAP server ${server.host}:${server.port}`, firstError ?? error, secrets)
  signal.throwIfAborted()
  if (password === undefined) throw failed(new Error('there is no imap_password'))
  const { addresses, isInternal } = await outgoing.judged(server, signal).catch((error: unknown) => {
    throw failed(error)
  })
  const client = newClient({ server, address: addresses[0] ?? server.host, user, password })
  client.on('error', (error: unknown) => {
    firstError ??= error
  })
  const abort = () => client.close()
  signal.addEventListener('abort', abort, { once: true })
  try {
    await client.connect().catch((error: Error & { authenticationFailed?: unknown }) => {
      // Its words about the login may be told: it is a mail server then.
      if (signal.aborted || error.authenticationFailed === true) throw error
      firstError = outgoing.failure({ ...server, isInternal }, error)
      throw firstError
    })
    const opened = await client.mailboxOpen(name, { readOnly: isReadOnly })
    return await use({ client, opened, failed })
  } catch (error) {
    client.close()
    throw failed(error)
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

interface Login {
  server: MailServer
  /** Of the server: judged. */
  address: string
  user: string
  password: string
}

function newClient({ server, address, user, password }: Login): ImapFlow {
  return new ImapFlow({
    host: address,
    ...(isIP(server.host) === 0 && { servername: server.host }),
    port: server.port,
    secure: server.secure,
    // Undefined: TLS if the server supports it.
    ...(!server.secure && server.isTlsRequired && { doSTARTTLS: true }),
    tls: { rejectUnauthorized: !server.isAnyCertificateTaken, minVersion: 'TLSv1.2' },
    auth: { user, pass: password },
    connectionTimeout: seconds(15),
    greetingTimeout: seconds(15),
    socketTimeout: minutes(5),
    maxLiteralSize: literalBytesMax,
    maxLineLength: literalBytesMax,
    maxResponseSize: 2 * literalBytesMax,
    // We start IDLE ourselves, as soon as there is nothing to do.
    disableAutoIdle: true,
    logger: false,
  })
}

/** Takes all mail, waits for more, and repeats until the connection ends. */
async function watch(
  client: ImapFlow,
  taking: Intake,
  dependencies: AdapterDependencies,
  ended: AbortSignal,
): Promise<void> {
  let hasNewMail = false
  let wake = () => {}
  client.on('exists', () => {
    hasNewMail = true
    wake()
  })
  while (!ended.aborted) {
    hasNewMail = false
    const { leftBehind } = await taking.sweep()
    if (hasNewMail || ended.aborted) continue
    const awake = Promise.withResolvers<void>()
    wake = awake.resolve
    const timer = dependencies.clock.after(leftBehind > 0 ? retryMs : sweepMs, wake)
    ended.addEventListener('abort', wake, { once: true })
    // The next command ends IDLE; on a server without it the timer wakes us.
    client.idle().catch(() => undefined)
    await awake.promise
    timer.cancel()
    ended.removeEventListener('abort', wake)
  }
}
