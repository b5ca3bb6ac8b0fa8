import { connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GatewayUnderTest, gatewayUnderTest, testKey, until } from '../support/gateway.ts'
import { chunkOf } from '../support/model-endpoint.ts'
import { turnsByStatus } from './support/service.ts'

const clients = 1_000

/** Of three rounds' difference: a thousand forgotten streams of one kilobyte would be past it. */
const growthBytesMax = 4_000_000

let service: GatewayUnderTest
beforeAll(async () => {
  service = await gatewayUnderTest({ SERVICE_LOG_LEVEL: 'warn' })
})
afterAll(() => service.stop())

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

async function heapBytes(): Promise<number> {
  for (let pass = 0; pass < 3; pass++) {
    collectGarbage()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return process.memoryUsage().heapUsed
}

function streamingClient(): { socket: Socket; hasText: Promise<void> } {
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }], stream: true })
  const socket = connect(service.gateway.port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: test\r\nauthorization: Bearer ${testKey}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  const hasText = new Promise<void>((resolve, reject) => {
    let said = ''
    socket.on('data', (bytes) => {
      said += bytes
      if (said.includes('half')) resolve()
    })
    socket.on('close', () => reject(new Error(`closed after ${said.slice(0, 200)}`)))
  })
  return { socket, hasText }
}

async function round(): Promise<void> {
  const all = Array.from({ length: clients }, streamingClient)
  await Promise.all(all.map(({ hasText }) => hasText))
  expect(service.endpoint.openCalls).toBe(clients)
  for (const { socket } of all) socket.destroy()
  await service.endpoint.until(() => service.endpoint.openCalls === 0)
  await until(() => service.gateway.stats()['turns'] === 0 && service.gateway.stats()['streams'] === 0)
}

test('a thousand clients who leave in mid-stream leave no call, no stream, no actor and no memory behind', async () => {
  service.endpoint.always((call) => {
    call.openStream()
    call.event(chunkOf({ role: 'assistant', content: 'half' }))
  })
  await round()
  const afterOne = await heapBytes()
  await round()
  await round()
  await round()
  const grown = (await heapBytes()) - afterOne
  await until(() => service.gateway.stats()['actors'] === 0)
  expect(grown).toBeLessThan(growthBytesMax)
  await until(async () => (await turnsByStatus(service.db))['running'] === undefined)
  expect(await turnsByStatus(service.db)).toEqual({ cancelled: 4 * clients })
}, 90_000)
