/** The mailbox that a channel reads: server, login, and our own addresses. */
import type { Outgoing } from '../../../../runtime/network/outgoing.ts'
import type { MailServer } from './config.ts'

export interface MailboxAccount {
  server: MailServer
  outgoing: Outgoing
  user: string
  password: string | undefined
  mailbox: string
  daysMax: number
  /** In lower case. Mail from these is our own, and is not answered. */
  ownAddresses: ReadonlySet<string>
}
