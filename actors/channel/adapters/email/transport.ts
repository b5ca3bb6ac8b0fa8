/** The two connections of a mailbox's channel, and their checks. Loaded by a channel that runs: its libraries are large. */
import type { Outgoing } from '../../../../runtime/network/outgoing.ts'
import type { AdapterDependencies, ChannelTransport } from '../../adapter.ts'
import type { MailboxAccount } from './account.ts'
import { type Config, type Secrets, serverOf } from './config.ts'
import { checkMailbox, mailbox } from './mailbox.ts'
import { composeAnswer } from './outgoing.ts'
import { type SmtpAccount, submission } from './submission.ts'

export function mailTransport(
  { config, secrets }: { config: Config; secrets: Secrets },
  dependencies: AdapterDependencies,
): Pick<ChannelTransport, 'connect' | 'send' | 'close' | 'lost'> {
  const sending = submission(smtpAccount(config, secrets, dependencies.outgoing))
  const account = imapAccount(config, secrets, dependencies.outgoing)
  const reading = account && mailbox(account, dependencies)
  return {
    async connect(signal) {
      await sending.verify(signal)
      await reading?.connect(signal)
    },
    send: async (delivery, signal) => sending.submit(await composeAnswer(delivery, config.smtp.from), signal),
    close: async () => reading?.close(),
    get lost() {
      return reading?.lost ?? Promise.resolve()
    },
  }
}

export async function checkSmtp(
  config: Config,
  secrets: Secrets,
  { outgoing, signal }: { outgoing: Outgoing; signal: AbortSignal },
): Promise<string> {
  const { host, port, user } = config.smtp
  await submission(smtpAccount(config, secrets, outgoing)).verify(signal)
  return `${host}:${port} ${user === undefined ? 'answers' : `lets ${user} in`}`
}

export async function checkImap(
  config: Config,
  secrets: Secrets,
  { outgoing, signal }: { outgoing: Outgoing; signal: AbortSignal },
): Promise<string> {
  const account = imapAccount(config, secrets, outgoing)
  return account ? checkMailbox(account, signal) : 'no mailbox is read'
}

export const smtpAccount = ({ smtp, tls }: Config, secrets: Secrets, outgoing: Outgoing): SmtpAccount => ({
  server: serverOf(smtp, tls),
  user: smtp.user,
  password: secrets.smtp_password,
  outgoing,
})

function imapAccount({ imap, smtp, tls }: Config, secrets: Secrets, outgoing: Outgoing): MailboxAccount | undefined {
  if (!imap) return undefined
  const ownAddresses = new Set([smtp.from.toLowerCase(), imap.user.toLowerCase()])
  return {
    server: serverOf(imap, tls),
    outgoing,
    user: imap.user,
    password: secrets.imap_password,
    mailbox: imap.mailbox,
    daysMax: imap.days_max,
    ownAddresses,
  }
}
