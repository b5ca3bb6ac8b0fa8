/** An IMAP server with one mailbox on a socket of its own: mail is put into it, connections are cut, flags are read. */
import type { AddressInfo, Socket } from 'node:net'
import hoodiecrow, { type StoredMessage } from 'hoodiecrow-imap'

export const imapUser = 'agent@example.com'
export const imapPassword = 'imap-password-1234'

const plugins = ['ID', 'IDLE', 'UIDPLUS', 'LITERALPLUS', 'ENABLE', 'NAMESPACE', 'UNSELECT']

export interface ImapServer {
  port: number
  /** Arrives now, unless `at` says when. */
  deliver(raw: string, options?: { flags?: string[]; at?: Date }): StoredMessage
  /** Commands of clients, as they came: upper case, without tags. */
  commands: string[]
  /** Clients that are connected. */
  readonly connections: number
  /** Cuts all connections. */
  cut(): void
  close(): Promise<void>
}

/** @param options `keepsKeywords` false: as Exchange, which knows only the flags of the standard; `tls`: with a certificate that nobody vouches for */
export async function imapServer(
  options: { keepsKeywords?: boolean; port?: number; tls?: boolean; loginRefusal?: string } = {},
): Promise<ImapServer> {
  const server = hoodiecrow({
    plugins,
    secureConnection: options.tls ?? false,
    users: { [imapUser]: { password: imapPassword } },
    storage: { INBOX: { messages: [], allowPermanentFlags: options.keepsKeywords ?? true }, '': {} },
  })
  const { loginRefusal } = options
  if (loginRefusal !== undefined) {
    server.setCommandHandler('LOGIN', (connection, { tag }, _data, done) => {
      connection.send({ tag, command: 'NO', attributes: [{ type: 'TEXT', value: loginRefusal }] })
      done()
    })
  }
  const sockets = new Set<Socket>()
  const commands: string[] = []
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
    socket.on('data', (chunk) => {
      for (const line of chunk.toString('latin1').split('\r\n')) {
        if (line !== '') commands.push(line.replace(/^[A-Z0-9]+ /, '').toUpperCase())
      }
    })
  })
  await new Promise<void>((resolve) => server.server.listen(options.port ?? 0, '127.0.0.1', () => resolve()))
  return {
    port: (server.server.address() as AddressInfo).port,
    deliver(raw, { flags = [], at = new Date() } = {}) {
      // The server writes its strings as latin1: so they hold one byte each.
      const bytes = Buffer.from(raw.replace(/\r?\n/g, '\r\n')).toString('latin1')
      server.appendMessage('INBOX', flags, server.formatInternalDate(at), bytes)
      const stored = server.getMailbox('INBOX').messages.at(-1)
      if (!stored) throw new Error('the mail was not stored')
      return stored
    },
    commands,
    get connections() {
      return sockets.size
    },
    cut() {
      for (const socket of sockets) socket.destroy()
    },
    close() {
      const closed = new Promise<void>((resolve) => server.server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      return closed
    },
  }
}
