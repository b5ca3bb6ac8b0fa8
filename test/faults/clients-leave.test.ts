import { connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GatewayUnderTest, gatewayUnderTest, testKey, until } from '../support/gateway.ts'
import { chunkOf } from '../support/model-endpoint.ts'
import { turnsByStatus } from './support/service.ts'

const clients = 1_000
const rounds = 2

/** What a client may leave behind in each round. Measured: up to 600 bytes, more while the process warms up; a forgotten stream is 19 kB. */
const leftBytesMax = 2_000

let service: GatewayUnderTest
beforeAll(async () => {
  service = await gatewayUnderTest({ SERVICE_LOG_LEVEL: 'warn' })
})
afterAll(() => service.stop())

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

async function heapBytes(): Promise<number> {
  // What a finalizer lets go of is garbage of the next pass.
  for (let pass = 0; pass < 3; pass++) {
    collectGarbage()
    await new Promise(setImmediate)
  }
  return process.memoryUsage().heapUsed
}

/** Asks for a stream, and has its first words; every tenth asks for a whole answer, and has nothing. */
function client(at: number): { socket: Socket; isServed: Promise<void> } {
  const isStream = at % 10 > 0
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }], stream: isStream })
  const socket = connect(service.gateway.port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: test\r\nauthorization: Bearer ${testKey}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  const isServed = new Promise<void>((resolve, reject) => {
    if (!isStream) resolve()
    let output = ''
    socket.on('data', (bytes) => {
      output += bytes
      if (output.includes('half')) resolve()
    })
    socket.on('close', () => reject(new Error(`closed after ${output.slice(-400)}`)))
  })
  return { socket, isServed }
}

async function round(): Promise<void> {
  const { endpoint, gateway } = service
  const abortedBefore = endpoint.abortedCalls
  const all = Array.from({ length: clients }, (_, at) => client(at))
  await Promise.all(all.map(({ isServed }) => isServed))
  await endpoint.until(() => endpoint.openCalls === clients)
  for (const { socket } of all) socket.destroy()
  await endpoint.until(() => endpoint.openCalls === 0)
  expect(endpoint.abortedCalls - abortedBefore).toBe(clients)
  await until(() => ['turns', 'streams', 'actors', 'connections'].every((gauge) => gateway.stats()[gauge] === 0))
  // The test's own memory of what was asked.
  endpoint.requests.splice(0)
}

test('a thousand clients who leave in mid-stream leave no call, no stream, no actor and no memory behind', async () => {
  service.endpoint.always((call) => {
    if (!call.request.body.stream) return
    call.openStream()
    call.event(chunkOf({ role: 'assistant', content: 'half' }))
  })
  await round()
  const heaps = [await heapBytes()]
  for (let done = 0; done < rounds; done++) {
    await round()
    heaps.push(await heapBytes())
  }
  // The least: what is forgotten is forgotten in every round, what warms up is not.
  const leftBytes = heaps.slice(1).map((bytes, at) => (bytes - (heaps[at] ?? 0)) / clients)
  expect(Math.min(...leftBytes), leftBytes.join(', ')).toBeLessThan(leftBytesMax)
  await until(async () => (await turnsByStatus(service.db))['running'] === undefined)
  expect(await turnsByStatus(service.db)).toEqual({ cancelled: (rounds + 1) * clients })
  // Three thousand clients take six seconds; where ten processes want each core, two minutes.
}, 600_000)
