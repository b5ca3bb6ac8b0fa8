/** The mailbox that a channel reads: where it is, how we log in, and whose mail in it is our own. */
import type { MailServer } from './config.ts'

export interface MailboxAccount {
  server: MailServer
  user: string
  password: string | undefined
  mailbox: string
  daysMax: number
  /** In lower case: mail from these is our own. */
  ownAddresses: ReadonlySet<string>
}
