/** The connection to a mailbox: it is opened, told when mail comes, and known to be lost. */
import { ImapFlow } from 'imapflow'
import { minutes, seconds } from '../../../../runtime/time/duration.ts'
import type { AdapterDependencies } from '../../adapter.ts'
import type { MailboxAccount } from './account.ts'
import type { MailServer } from './config.ts'
import { failureIn, secretForms } from './failure.ts'
import { type Intake, intake } from './intake.ts'

/** Without word from the server the mailbox is looked at anyway: IDLE connections die in silence, and some servers have none. */
const lookAgainMs = minutes(5)
/** When mail was left behind that could not be taken. */
const leftBehindMs = minutes(1)

/** Above the greatest mail that is fetched. */
const literalBytesMax = 16 * 1_048_576

export interface Mailbox {
  /** @throws what hinders it; a connection from before is closed */
  connect(signal: AbortSignal): Promise<void>
  /** Of the newest connection. */
  readonly lost: Promise<void>
  close(): void
}

interface Open {
  client: ImapFlow
  lost: Promise<void>
  close(): void
}

export function mailbox(account: MailboxAccount, dependencies: AdapterDependencies): Mailbox {
  let open: Open | undefined
  return {
    async connect(signal) {
      open?.close()
      open = await openMailbox(account, dependencies, signal)
    },
    get lost() {
      return open?.lost ?? Promise.resolve()
    },
    close: () => open?.close(),
  }
}

async function openMailbox(
  account: MailboxAccount,
  dependencies: AdapterDependencies,
  signal: AbortSignal,
): Promise<Open> {
  const { server, user, password } = account
  const secrets = secretForms(user, password)
  const failed = (error: unknown) => failureIn(`the IMAP server ${server.host}:${server.port}`, error, secrets)
  signal.throwIfAborted()
  if (password === undefined) throw failed(new Error('there is no imap_password'))
  const client = newClient(server, user, password)
  const ended = new AbortController()
  const lost = Promise.withResolvers<void>()
  lost.promise.catch(() => undefined)
  let reason: unknown
  client.on('error', (error: unknown) => {
    reason ??= error
  })
  client.on('close', () => end(reason ?? new Error('the connection was closed')))

  function end(error?: unknown): void {
    ended.abort()
    if (error === undefined) lost.resolve()
    else lost.reject(failed(error))
    client.close()
  }
  const abort = () => end()
  signal.addEventListener('abort', abort, { once: true })
  try {
    await client.connect()
    const { readOnly } = await client.mailboxOpen(account.mailbox)
    if (readOnly) throw new Error(`the mailbox ${account.mailbox} is read-only: what was taken could not be marked`)
    signal.throwIfAborted()
    const taking = intake(client, account, dependencies, ended.signal)
    await taking.begin()
    // Ends with the connection; whatever ends it before, ends the connection.
    watch(client, taking, dependencies, ended.signal).catch(end)
  } catch (error) {
    end()
    throw failed(reason ?? error)
  } finally {
    signal.removeEventListener('abort', abort)
  }
  return { client, lost: lost.promise, close: () => end() }
}

/** Logs in, opens the mailbox for reading only, and leaves. @throws what hinders it */
export async function lookAtMailbox(account: MailboxAccount, signal: AbortSignal): Promise<string> {
  const { server, user, password } = account
  const secrets = secretForms(user, password)
  const failed = (error: unknown) => failureIn(`the IMAP server ${server.host}:${server.port}`, error, secrets)
  signal.throwIfAborted()
  if (password === undefined) throw failed(new Error('there is no imap_password'))
  const client = newClient(server, user, password)
  let reason: unknown
  client.on('error', (error: unknown) => {
    reason ??= error
  })
  const abort = () => client.close()
  signal.addEventListener('abort', abort, { once: true })
  try {
    await client.connect()
    const { exists } = await client.mailboxOpen(account.mailbox, { readOnly: true })
    await client.logout()
    return `${account.mailbox} on ${server.host}:${server.port} holds ${exists} mails`
  } catch (error) {
    throw failed(reason ?? error)
  } finally {
    signal.removeEventListener('abort', abort)
    client.close()
  }
}

function newClient(server: MailServer, user: string, password: string): ImapFlow {
  return new ImapFlow({
    host: server.host,
    port: server.port,
    secure: server.secure,
    // Undefined: TLS where the server has it.
    ...(!server.secure && server.isTlsRequired && { doSTARTTLS: true }),
    tls: { rejectUnauthorized: !server.isAnyCertificateTaken, minVersion: 'TLSv1.2' },
    auth: { user, pass: password },
    connectionTimeout: seconds(15),
    greetingTimeout: seconds(15),
    socketTimeout: minutes(5),
    maxLiteralSize: literalBytesMax,
    maxLineLength: literalBytesMax,
    maxResponseSize: 2 * literalBytesMax,
    // We idle as soon as there is nothing to do, not after a pause.
    disableAutoIdle: true,
    logger: false,
  })
}

/** Takes what is there, waits for word of more, and so on until the connection ends. */
async function watch(
  client: ImapFlow,
  taking: Intake,
  dependencies: AdapterDependencies,
  ended: AbortSignal,
): Promise<void> {
  let hasNews = false
  let wake = () => {}
  client.on('exists', () => {
    hasNews = true
    wake()
  })
  while (!ended.aborted) {
    hasNews = false
    const { leftBehind } = await taking.sweep()
    if (hasNews || ended.aborted) continue
    const word = Promise.withResolvers<void>()
    wake = word.resolve
    const timer = dependencies.clock.after(leftBehind > 0 ? leftBehindMs : lookAgainMs, wake)
    ended.addEventListener('abort', wake, { once: true })
    // The next command ends it; where it cannot be had, the timer wakes us.
    client.idle().catch(() => undefined)
    await word.promise
    timer.cancel()
    ended.removeEventListener('abort', wake)
  }
}
