/** The network between two processes of a crash test: a TCP proxy on loopback that can be cut, silent or slow. */

import type { AddressInfo } from 'node:net'
import { createConnection, createServer, type Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'

export interface TcpProxy {
  readonly port: number
  /** Connections are reset, and new ones too. */
  cut(): void
  /** Connections stay open, and nothing passes: neither side is told anything. */
  silence(): void
  /** Every piece takes so much longer, one after the other. */
  slow(delayMs: number): void
  heal(): void
  close(): Promise<void>
}

export type Target = { host: string; port: number } | { path: string }

export async function tcpProxy(target: Target): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let isCut = false
  let delayMs = 0
  let silent: PromiseWithResolvers<void> | undefined

  async function* passed(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      if (delayMs > 0) await wait(delayMs)
      await silent?.promise
      yield piece
    }
  }

  function watched(socket: Socket): Socket {
    sockets.add(socket)
    return socket.setNoDelay().on('close', () => sockets.delete(socket))
  }

  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (isCut) return void client.resetAndDestroy()
    const far = watched(createConnection({ ...target, allowHalfOpen: true }))
    const near = watched(client)
    // The end of one is the end of the other, whatever ended it.
    const ends = [pipeline(near, passed, far), pipeline(far, passed, near)]
    Promise.all(ends).catch(() => {
      near.destroy()
      far.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  function heal(): void {
    isCut = false
    delayMs = 0
    silent?.resolve()
    silent = undefined
  }

  function cut(): void {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }

  return {
    port: (server.address() as AddressInfo).port,
    cut,
    silence() {
      silent ??= Promise.withResolvers()
    },
    slow(ms) {
      delayMs = ms
    },
    heal,
    close() {
      heal()
      cut()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
