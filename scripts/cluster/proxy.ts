/**
 * A small HTTP proxy in front of several nodes: each request goes to the next of those that are ready, so that
 * nothing works only because one node gets all of a client. For trying things out and for tests; for real ones see docs/proxies.md.
 */
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'

export interface Target {
  host: string
  port: number
}

export interface ProxyOptions {
  /** Default: any that is free. */
  port?: number
  /** Those that may be asked, in their order. Called at each request. */
  nodes(): readonly Target[]
}

export interface NodesProxy {
  port: number
  close(): Promise<void>
}

/** Streams say something every 20 s. */
const idleMsMax = 120_000
const ofOneHop = new Set(['connection', 'keep-alive', 'proxy-connection'])

/** @throws where the port is taken */
export async function startProxy({ port = 0, nodes }: ProxyOptions): Promise<NodesProxy> {
  const agent = new Agent({ keepAlive: true })
  const oneConnection = new Agent()
  const upgraded = new Set<Duplex>()
  let requests = 0

  /** The next one, and behind it those to try where it takes no connection. */
  function inTurn(): Target[] {
    const targets = nodes()
    const first = targets.length === 0 ? 0 : requests++ % targets.length
    return [...targets.slice(first), ...targets.slice(0, first)]
  }

  function forward(
    incoming: IncomingMessage,
    response: ServerResponse,
    targets: readonly Target[],
    isAgain = false,
  ): void {
    const [node, ...others] = targets
    if (node === undefined) {
      refuse(response, 503, 'no node is ready')
      return
    }
    const { method, url } = incoming
    const headers = requestHeaders(incoming, ofOneHop)
    // A node may close a kept connection at any time: on one goes only what may be sent again.
    const mayRepeat = isRepeatable(incoming)
    const connections = mayRepeat && !isAgain ? agent : oneConnection
    const outgoing = request({ ...node, method, path: url, headers, agent: connections, timeout: idleMsMax })
    if (mayRepeat) outgoing.end()
    // Nothing of the body is taken before a node has taken the connection.
    else outgoing.on('socket', (socket) => socket.once('connect', () => incoming.pipe(outgoing)))
    outgoing.on('response', (answer) => {
      response.sendDate = false
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, without(answer.rawHeaders, ofOneHop))
      response.flushHeaders()
      answer.pipe(response)
      answer.on('close', () => answer.complete || response.destroy())
    })
    outgoing.on('timeout', () => outgoing.destroy(new Error('silent for too long')))
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (response.destroyed) return
      if (response.headersSent) response.destroy()
      else if (outgoing.reusedSocket && isClosing(error)) forward(incoming, response, targets, true)
      else if (error.code === 'ECONNREFUSED') forward(incoming, response, others)
      else refuse(response, 502, `the node did not answer: ${error.message}`)
    })
    response.on('close', () => outgoing.destroy())
  }

  /** A WebSocket: after its first answer the two connections are one. */
  function upgrade(incoming: IncomingMessage, client: Duplex, first: Buffer): void {
    const [node] = inTurn()
    if (node === undefined) {
      client.end('HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
      return
    }
    const { method, url } = incoming
    const outgoing = request({ ...node, method, path: url, headers: requestHeaders(incoming), agent: false })
    upgraded.add(client)
    client.on('close', () => {
      upgraded.delete(client)
      outgoing.destroy()
    })
    client.on('error', () => client.destroy())
    outgoing.on('error', () => client.destroy())
    outgoing.on('response', (answer) => {
      client.write(headOf(answer))
      answer.pipe(client)
    })
    outgoing.on('upgrade', (answer, socket, more) => {
      client.write(headOf(answer))
      client.write(more)
      socket.write(first)
      socket.on('error', () => client.destroy())
      socket.on('close', () => client.destroy())
      client.on('close', () => socket.destroy())
      socket.pipe(client).pipe(socket)
    })
    outgoing.end()
  }

  const server = createServer({ requestTimeout: 0 }, (incoming, response) => forward(incoming, response, inTurn()))
  server.on('upgrade', upgrade)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      for (const client of upgraded) client.destroy()
      await closed
      agent.destroy()
      oneConnection.destroy()
    },
  }
}

/** Nothing changes when a node gets it twice, and nothing of it is lost with the first time. */
function isRepeatable({ method = '', headers }: IncomingMessage): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  return ['GET', 'HEAD', 'OPTIONS'].includes(method) && !hasBody
}

const isClosing = ({ code }: NodeJS.ErrnoException): boolean => code === 'ECONNRESET' || code === 'EPIPE'

function refuse(response: ServerResponse, status: number, reason: string): void {
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${reason}\n`)
}

function requestHeaders({ rawHeaders, headers, socket }: IncomingMessage, dropped?: ReadonlySet<string>): string[] {
  const clients = [headers['x-forwarded-for'], socket.remoteAddress].filter(Boolean).join(', ')
  const replaced = new Set([...(dropped ?? []), 'x-forwarded-for', 'x-forwarded-proto'])
  return [...without(rawHeaders, replaced), 'x-forwarded-for', clients, 'x-forwarded-proto', 'http']
}

/** Of names and values in turn. */
function without(rawHeaders: readonly string[], dropped: ReadonlySet<string>): string[] {
  return rawHeaders.filter((_text, at) => !dropped.has((rawHeaders[at - (at % 2)] ?? '').toLowerCase()))
}

function headOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = rawHeaders.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`))
  return `HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines.join('')}\r\n`
}
