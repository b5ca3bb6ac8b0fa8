/** One keep-alive connection of the load: sends a prepared request, hands over the answer as it comes. */
import { connect, type Socket } from 'node:net'
import { ResponseParser } from './response-parser.ts'

export interface AnswerListener {
  head?(status: number, headers: string): void
  body?(bytes: Buffer): void
}

interface Waiting {
  listener: AnswerListener
  resolve(status: number): void
  reject(error: Error): void
}

export class ClientConnection {
  readonly #target: { host: string; port: number }
  #socket: Socket | undefined
  #waiting: Waiting | undefined
  #status = 0
  #closesAfter = false

  constructor(target: { host: string; port: number }) {
    this.#target = target
  }

  /** Resolves with the status when the whole answer is here. One at a time. */
  async exchange(request: Buffer, listener: AnswerListener = {}): Promise<number> {
    const socket = await this.open()
    return new Promise((resolve, reject) => {
      this.#waiting = { listener, resolve, reject }
      socket.write(request)
    })
  }

  /** Opened before time is taken, so that no figure holds a handshake. */
  async open(): Promise<Socket> {
    if (this.#socket && !this.#socket.destroyed) return this.#socket
    const socket = connect(this.#target)
    this.#socket = socket
    socket.setNoDelay(true)
    const parser = new ResponseParser({
      head: (status, headers) => {
        this.#status = status
        this.#closesAfter = /\r\nconnection:\s*close/i.test(headers)
        this.#waiting?.listener.head?.(status, headers)
      },
      body: (bytes) => this.#waiting?.listener.body?.(bytes),
      end: () => {
        if (this.#closesAfter) this.close()
        this.#settle()?.resolve(this.#status)
      },
    })
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', reject)
    })
    socket.on('data', (bytes: Buffer) => {
      try {
        parser.feed(bytes)
      } catch (error) {
        this.close(error as Error)
      }
    })
    socket.on('error', (error) => this.#settle()?.reject(error))
    socket.on('close', () => this.#settle()?.reject(new Error('the connection was closed before the answer was whole')))
    return socket
  }

  /** Goes away at once, as a client does who closes the window. */
  close(reason?: Error): void {
    this.#socket?.destroy()
    this.#socket = undefined
    if (reason) this.#settle()?.reject(reason)
  }

  #settle(): Waiting | undefined {
    const waiting = this.#waiting
    this.#waiting = undefined
    return waiting
  }
}
