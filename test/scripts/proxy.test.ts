/** The proxy before several nodes: each request goes to the next, and one that takes no connection is passed over. */
import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../bench/process/free-port.ts'
import { startProxy, type Target } from '../../scripts/cluster/proxy.ts'

async function proxyBefore(targets: readonly Target[]): Promise<string> {
  const proxy = await startProxy({ nodes: () => targets })
  onTestFinished(() => proxy.close())
  return `http://127.0.0.1:${proxy.port}/`
}

/** Answers with its name, what it was sent, and for whom. */
async function node(name: string): Promise<Target> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece) => {
      body += piece
    })
    request.on('end', () => response.end(JSON.stringify([name, body, request.headers['x-forwarded-for']])))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port }
}

async function answers(url: string, count: number): Promise<unknown[]> {
  const all: unknown[] = []
  while (all.length < count) all.push(await (await fetch(url, { method: 'POST', body: 'said' })).json())
  return all
}

test('each request goes to the next node', async () => {
  const url = await proxyBefore([await node('one'), await node('other')])
  const from = '127.0.0.1'
  expect(await answers(url, 3)).toEqual([
    ['one', 'said', from],
    ['other', 'said', from],
    ['one', 'said', from],
  ])
})

test('a node that takes no connection is passed over, with the whole body', async () => {
  const url = await proxyBefore([{ host: '127.0.0.1', port: await freePort() }, await node('other')])
  expect((await answers(url, 3)).map((answer) => (answer as string[]).slice(0, 2))).toEqual(
    Array.from({ length: 3 }, () => ['other', 'said']),
  )
})

/** Ends each kept connection at the second request on it, as a node does that closes one while a request is on its way. */
async function forgetfulNode(): Promise<{ target: Target; bodies: string[] }> {
  const bodies: string[] = []
  const server = createTcpServer((socket) => {
    let requests = 0
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      if (++requests > 1) return socket.destroy()
      bodies.push(bytes.toString('latin1'))
      return socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { target: { host: '127.0.0.1', port: (server.address() as AddressInfo).port }, bodies }
}

test('what a node does not take because it closes the kept connection comes again on a new one', async () => {
  const { target, bodies } = await forgetfulNode()
  const url = await proxyBefore([target])
  for (let count = 0; count < 4; count++) expect((await fetch(url)).status).toBe(200)
  expect(bodies).toHaveLength(4)
})

test('a post goes on a connection of its own, once', async () => {
  const { target, bodies } = await forgetfulNode()
  const url = await proxyBefore([target])
  for (let count = 0; count < 4; count++) {
    expect((await fetch(url)).status).toBe(200)
    expect((await fetch(url, { method: 'POST' })).status).toBe(200)
  }
  expect(bodies.filter((text) => text.startsWith('POST'))).toHaveLength(4)
})

test('a WebSocket is refused where no node is ready', async () => {
  const { port } = new URL(await proxyBefore([]))
  const socket = connect({ host: '127.0.0.1', port: Number(port) })
  socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n')
  expect(await text(socket)).toMatch(/^HTTP\/1.1 503 /)
})

test('where no node is ready it says so', async () => {
  const url = await proxyBefore([])
  expect((await fetch(url)).status).toBe(503)
})
