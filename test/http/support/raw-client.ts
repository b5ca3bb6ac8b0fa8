/** A bare socket that says exactly what the test writes, and collects exactly what comes back. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export class RawClient {
  readonly socket: Socket
  received = ''
  isClosed = false
  readonly #changed = new Set<() => void>()

  constructor(socket: Socket) {
    this.socket = socket
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => {
      this.received += text
      this.#tell()
    })
    socket.on('close', () => {
      this.isClosed = true
      this.#tell()
    })
    socket.on('error', () => {})
  }

  #tell(): void {
    for (const fire of [...this.#changed]) fire()
  }

  send(text: string): void {
    this.socket.write(text, 'latin1')
  }

  /** Resolves as soon as `isTrue` is, looking at every piece that arrives and at the end of the connection. */
  until(isTrue: (client: RawClient) => boolean, limitMs = 60_000): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (isTrue(this)) settle(resolve)
        else if (this.isClosed)
          settle(() => reject(new Error(`the connection ended with: ${this.received.slice(0, 500)}`)))
      }
      const limit = setTimeout(
        () => settle(() => reject(new Error(`waited in vain; so far: ${this.received.slice(0, 500)}`))),
        limitMs,
      )
      const settle = (end: () => void) => {
        clearTimeout(limit)
        this.#changed.delete(look)
        end()
      }
      this.#changed.add(look)
      look()
    })
  }

  async untilText(text: string): Promise<string> {
    await this.until((client) => client.received.includes(text))
    return this.received
  }

  /** Everything up to the end of the connection, which the server makes. */
  async untilClosed(): Promise<string> {
    await this.until((client) => client.isClosed)
    return this.received
  }

  destroy(): void {
    this.socket.destroy()
  }
}

/** @param from the address of this end */
export async function rawClient(port: number, firstBytes = '', from = '127.0.0.1'): Promise<RawClient> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from })
  await once(socket, 'connect')
  const client = new RawClient(socket)
  if (firstBytes !== '') client.send(firstBytes)
  return client
}

export const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: example.com\r\n${headers}\r\n`

export function post(path: string, body: string, headers = 'Content-Type: application/json\r\n'): string {
  return `POST ${path} HTTP/1.1\r\nHost: example.com\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${Buffer.from(body).toString('latin1')}`
}
