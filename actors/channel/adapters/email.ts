/** E-mail: read from a mailbox by IMAP or posted by a relay, answered by SMTP in the same thread. */
import { type AdapterDependencies, type ChannelCheck, type ChannelTransport, defineAdapter } from '../adapter.ts'
import type { MailboxAccount } from './email/account.ts'
import { Config, Secrets, serverOf } from './email/config.ts'
import { checkMailbox, mailbox } from './email/mailbox.ts'
import { composeAnswer } from './email/outgoing.ts'
import { submission } from './email/submission.ts'

export const email = defineAdapter({
  name: 'email',
  title: { en: 'E-mail', ru: 'Почта' },
  summary: 'E-mail: a mailbox read by IMAP, answers sent by SMTP in the same thread',
  config: Config,
  secrets: Secrets,
  delivers: () => true,
  receives: ({ imap }) => imap !== undefined,
  checks: ({ config, secrets }) => checksOf(config, secrets),
  open({ config, secrets }, dependencies): ChannelTransport {
    const { smtp } = config
    const server = serverOf(smtp, config.tls)
    const sending = submission(server, smtp.user, secrets.smtp_password)
    const reading = mailboxOf(config, secrets, dependencies)
    const destination = `${smtp.host}:${smtp.port}`
    const transport: ChannelTransport = {
      async connect(signal) {
        await sending.verify(signal)
        await reading?.connect(signal)
      },
      destinationOf: () => destination,
      send: async (delivery, signal) => sending.submit(await composeAnswer(delivery, smtp.from), signal),
      close: async () => reading?.close(),
    }
    if (!reading) return transport
    return {
      ...transport,
      // Each connection has its own.
      get lost() {
        return reading.lost
      },
    }
  },
})

function checksOf(config: Config, secrets: Secrets): ChannelCheck[] {
  const { smtp } = config
  const checks: ChannelCheck[] = [
    {
      name: 'smtp',
      async run(signal) {
        await submission(serverOf(smtp, config.tls), smtp.user, secrets.smtp_password).verify(signal)
        return `${smtp.host}:${smtp.port} ${smtp.user === undefined ? 'answers' : `lets ${smtp.user} in`}`
      },
    },
  ]
  const account = accountOf(config, secrets)
  if (account) checks.push({ name: 'imap', run: (signal) => checkMailbox(account, signal) })
  return checks
}

function mailboxOf(config: Config, secrets: Secrets, dependencies: AdapterDependencies) {
  const account = accountOf(config, secrets)
  return account && mailbox(account, dependencies)
}

function accountOf({ imap, smtp, tls }: Config, secrets: Secrets): MailboxAccount | undefined {
  if (!imap) return undefined
  const ownAddresses = new Set([smtp.from.toLowerCase(), imap.user.toLowerCase()])
  return {
    server: serverOf(imap, tls),
    user: imap.user,
    password: secrets.imap_password,
    mailbox: imap.mailbox,
    daysMax: imap.days_max,
    ownAddresses,
  }
}
