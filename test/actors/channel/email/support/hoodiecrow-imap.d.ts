/** What the tests use of the IMAP server, which comes without types. */
declare module 'hoodiecrow-imap' {
  import type { Server } from 'node:net'

  export interface StoredMessage {
    uid: number
    flags: string[]
    internaldate: string
    raw: string
  }
  export interface StoredMailbox {
    messages: StoredMessage[]
    uidvalidity: number
  }
  export interface Hoodiecrow {
    server: Server
    getMailbox(path: string): StoredMailbox
    appendMessage(mailbox: string, flags: string[], internaldate: string, raw: string): unknown
    formatInternalDate(date: Date): string
    setCommandHandler(command: string, handler: CommandHandler): void
  }
  export type CommandHandler = (
    connection: { send(response: object): void },
    parsed: { tag: string },
    data: string,
    done: () => void,
  ) => void
  export default function hoodiecrow(options: object): Hoodiecrow
}
