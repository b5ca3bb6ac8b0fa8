/** A server of the outside world on 127.0.0.1, scripted per test, and a requester to which that address is a public one. */
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { Failure } from '../../../../runtime/failure.ts'
import { addressKind } from '../../../../runtime/network/addresses.ts'
import {
  guardedRequester,
  type OutgoingRequest,
  type Requester,
  type RequesterOptions,
} from '../../../../tools/net/requester.ts'

export interface Outside {
  readonly port: number
  /** Connections so far. */
  readonly connections: number
  readonly requests: readonly IncomingMessage[]
  close(): Promise<void>
}

export async function outside(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Outside> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    response.on('error', () => undefined)
    answer(request, response)
  })
  return listening(server, requests)
}

/** Without HTTP: the test writes what it likes. */
export function rawOutside(answer: (socket: Socket) => void): Promise<Outside> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    answer(socket)
  })
  return listening(server, [])
}

async function listening(server: HttpServer | Server, requests: readonly IncomingMessage[]): Promise<Outside> {
  const sockets = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections++
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    requests,
    get connections() {
      return connections
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** Every address is what it is, but 127.0.0.1 stands for the internet. */
export const loopbackIsPublic = (address: string) => (address === '127.0.0.1' ? 'public' : addressKind(address))

/** A resolver that knows a few names, and what it was asked. */
export function knownNames(names: Readonly<Record<string, readonly string[] | (() => readonly string[])>>) {
  const asked: string[] = []
  return {
    asked,
    async resolve(host: string): Promise<readonly string[]> {
      asked.push(host)
      const answer = names[host]
      if (!answer) throw new Error(`getaddrinfo ENOTFOUND ${host}`)
      return typeof answer === 'function' ? answer() : answer
    },
  }
}

/** To whom `public.example.com` and `other.example.com` are servers of the internet. */
export function toOutside(options: Partial<RequesterOptions> = {}): Requester {
  const { resolve } = knownNames({ 'public.example.com': ['127.0.0.1'], 'other.example.com': ['127.0.0.1'] })
  return guardedRequester({ allow: [], isAirgapped: false, judge: loopbackIsPublic, resolve, ...options })
}

export function get(requester: Requester, url: string, more: Partial<OutgoingRequest> = {}) {
  return requester.request({ method: 'GET', url, signal: new AbortController().signal, ...more })
}

/** The code of the ToolFailed that it ends with; anything else fails the test. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await failureOf(work)
  return error.code
}

export async function failureOf(work: Promise<unknown>): Promise<Failure> {
  const error = await work.then(
    () => new Error('it was let through'),
    (thrown: unknown) => thrown,
  )
  if (error instanceof Failure) return error
  throw error
}
