/** WebSockets over the library: every callback fenced, a bounded buffer for a slow reader, nothing touched after the close. */
import type { WebSocket, WebSocketBehavior } from 'uWebSockets.js'

/** What a route does with its socket. A throw closes the socket; it never reaches the library. */
export interface SocketHandlers {
  open(connection: SocketConnection): void
  /** A whole text frame. */
  message(text: string): void
  /** The reader has caught up after a `send` that said false. */
  drained(): void
  /** The last call, once. */
  closed(): void
}

export interface SocketConnection {
  /**
   * False: the reader is slow; the text was taken all the same. A writer that goes on regardless loses its reader once
   * more than SERVICE_STREAM_BUFFER_BYTES wait. True on a closed socket.
   */
  send(text: string): boolean
  /** @see RFC 6455, 7.4.1 Defined Status Codes */
  close(code: number, reason: string): void
  readonly isOpen: boolean
}

/** What an upgrade needs from the request, read while the library still holds it. */
export interface UpgradeOffer {
  key: string
  protocol: string
  extensions: string
  /** The library's own; it only goes back to it. */
  context: unknown
}

/** Kept by the library with each socket. */
export interface SocketData {
  handlers: SocketHandlers
  connection: UwsSocket
}

/** Bytes of one message from a client; a longer one closes the socket (1006, by the library). */
export const socketMessageBytesMax = 65_536

/** Seconds; the library pings by itself before it gives a silent socket up. */
const idleS = 120

const backpressure = 0
const internalError = 1011
const unsupportedData = 1003

export class UwsSocket implements SocketConnection {
  #socket: WebSocket<SocketData> | undefined

  get isOpen(): boolean {
    return this.#socket !== undefined
  }

  opened(socket: WebSocket<SocketData>): void {
    this.#socket = socket
  }

  send(text: string): boolean {
    // Dropped (2) means that the buffer is full: the library closes the socket right after.
    return this.#socket === undefined || this.#socket.send(text) !== backpressure
  }

  close(code: number, reason: string): void {
    this.#socket?.end(code, reason.slice(0, 120))
  }

  closed(): void {
    this.#socket = undefined
  }
}

/** @param broke hears of every throw, with the socket's own end already under way */
export function socketBehavior(options: {
  bytesWaitingMax: number
  broke(error: unknown): void
}): WebSocketBehavior<SocketData> {
  const decoder = new TextDecoder('utf-8', { fatal: true })

  function fenced(socket: WebSocket<SocketData>, work: (data: SocketData) => void): void {
    try {
      work(socket.getUserData())
    } catch (error) {
      options.broke(error)
      try {
        socket.end(internalError, 'the service failed')
      } catch (second) {
        options.broke(second) // it was closed already
      }
    }
  }

  return {
    compression: 0,
    maxPayloadLength: socketMessageBytesMax,
    maxBackpressure: options.bytesWaitingMax,
    closeOnBackpressureLimit: true,
    idleTimeout: idleS,
    sendPingsAutomatically: true,
    maxLifetime: 0,
    open: (socket) =>
      fenced(socket, ({ handlers, connection }) => {
        connection.opened(socket)
        handlers.open(connection)
      }),
    message: (socket, bytes, isBinary) =>
      fenced(socket, ({ handlers }) => {
        if (isBinary) socket.end(unsupportedData, 'text frames only')
        else handlers.message(decoder.decode(bytes))
      }),
    drain: (socket) =>
      // One turn later: after a send from within this callback (its promises' included) that fills the socket again, the
      // library waits for no more room, and what is left in its buffer stays there for ever (seen on 20.0.8).
      fenced(socket, ({ handlers, connection }) => {
        setImmediate(() => {
          if (connection.isOpen) fenced(socket, () => handlers.drained())
        })
      }),
    close: (socket) => {
      try {
        const { handlers, connection } = socket.getUserData()
        connection.closed()
        handlers.closed()
      } catch (error) {
        options.broke(error)
      }
    },
  }
}
