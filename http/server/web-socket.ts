/** WebSockets: every throw of a callback is caught, the buffer for a slow reader is bounded, nothing is used after the close. */
import type { WebSocket, WebSocketBehavior } from 'uWebSockets.js'

/** A route's handlers of its socket. A throw closes the socket; it never reaches the library. */
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
   * False: the reader is slow; the text was taken all the same. Once more than SERVICE_STREAM_BUFFER_BYTES wait, the
   * socket is closed. True on a closed socket.
   */
  send(text: string): boolean
  /** @see RFC 6455, 7.4.1 Defined Status Codes */
  close(code: number, reason: string): void
  readonly isOpen: boolean
}

/** What an upgrade needs from the request, copied while the library still holds it. */
export interface UpgradeOffer {
  key: string
  protocol: string
  extensions: string
  /** Opaque; passed back to the library. */
  context: unknown
}

/** Stored by the library with each socket. */
export interface SocketData {
  handlers: SocketHandlers
  connection: UwsSocket
}

/** Bytes of one message from a client; a longer one closes the socket (1006, by the library). */
export const socketMessageBytesMax = 65_536

/** Seconds until a silent socket is closed; the library sends pings before that. */
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

/** @param broke called with every throw */
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
      // One turn later: when a send from within this callback, or its promises, fills the socket again, the library does
      // not wait for room any more, and the rest of its buffer is never sent (seen on 20.0.8).
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
