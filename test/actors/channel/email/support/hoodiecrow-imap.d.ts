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
    commandHandlers: Record<string, unknown>
    getCommandHandler(command: string): CommandHandler
    setCommandHandler(command: string, handler: CommandHandler): void
  }
  export type CommandHandler = (connection: unknown, parsed: unknown, data: string, done: () => void) => void
  export default function hoodiecrow(options: object): Hoodiecrow
}
