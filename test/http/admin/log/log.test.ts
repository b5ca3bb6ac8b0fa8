/** The log over the admin API: read in pages, followed live, resumed, and lost only with a word about how much. */
import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../../../../gateway/gateway.ts'
import { createLog, type Log } from '../../../../runtime/log/log.ts'
import { LogTail } from '../../../../runtime/log/tail.ts'
import { createMetrics } from '../../../../runtime/telemetry/metrics.ts'
import { freshAddress } from '../../../support/database.ts'
import { testKey, urlOf } from '../../../support/gateway.ts'
import { readEvents, type SseReader } from '../../events/support/sse-reader.ts'

const tail = new LogTail({ linesMax: 3_000, bytesMax: 16_000_000 })
let log: Log
let url = ''
let node = 0
let stop: () => Promise<void>
const open: SseReader[] = []

beforeAll(async () => {
  const { address, drop } = await freshAddress()
  log = createLog({ level: 'debug', tail, destination: { write() {} } })
  const environment = {
    ...{ SERVICE_DATABASE_URL: urlOf(address), SERVICE_GATEWAY_ADDR: '127.0.0.1:0', SERVICE_WEBUI_ENABLED: '0' },
    ...{ SERVICE_BOOTSTRAP_KEY: testKey, SERVICE_MODERATION: 'off', SERVICE_LOG_LEVEL: 'debug' },
    SERVICE_STREAM_BUFFER_BYTES: '65536',
  }
  const gateway = await startGateway({ environment, log, tail, metrics: createMetrics(), version: '0.0.0-test' })
  url = `http://127.0.0.1:${gateway.port}`
  node = gateway.node
  stop = async () => {
    await gateway.stop()
    await drop()
  }
})
afterAll(() => stop())
afterEach(() => {
  for (const reader of open.splice(0)) reader.leave()
})

const authorization = `Bearer ${testKey}`

async function read(query: string) {
  const answer = await fetch(`${url}/v1/admin/log?${query}`, { headers: { authorization } })
  expect(answer.status).toBe(200)
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect in it
  return (await answer.json()) as any
}

async function follow(query = '', headers: Record<string, string> = {}): Promise<SseReader> {
  const reader = await readEvents(`${url}/v1/admin/log/stream${query}`, { authorization, ...headers })
  open.push(reader)
  await reader.until(() => reader.text.includes('retry:'))
  return reader
}

const words = (reader: SseReader) => reader.of('line').map(({ data }) => data.msg)

test('the newest lines that match are read, by level and by word, oldest first', async () => {
  log.info({ part: 'shop' }, 'Alpha one')
  log.warn({ part: 'shop' }, 'alpha two')
  log.error({ part: 'shop' }, 'beta three')
  const found = await read('search=ALPHA&limit=5')
  expect(found.items).toMatchObject([
    { level: 'info', msg: 'Alpha one', fields: { part: 'shop' } },
    { level: 'warn', msg: 'alpha two' },
  ])
  expect((await read('level=warn&search=shop')).items.map(({ msg }: { msg: string }) => msg)).toEqual([
    'alpha two',
    'beta three',
  ])
  expect((await read('search=alpha&limit=1')).items).toMatchObject([{ msg: 'alpha two' }])
})

test('with an id the lines behind it are read, in pages that miss none', async () => {
  const after = tail.newestSeq
  for (let n = 0; n < 25; n++) log.info(`page ${n}`)
  const seen: string[] = []
  let cursor = `${node}-${after}`
  for (let more = true; more; ) {
    const page = await read(`search=page&after=${cursor}&limit=10`)
    seen.push(...page.items.map(({ msg }: { msg: string }) => msg))
    cursor = page.cursor
    more = page.has_more
  }
  expect(seen).toEqual(Array.from({ length: 25 }, (_, n) => `page ${n}`))
})

test('what the log redacts is redacted here, and markup stays text', async () => {
  log.info({ token: 'very-secret', html: '<script>alert(1)</script>' }, 'login with sk-abcdefghijklmnop')
  const text = JSON.stringify(await read('search=login+with'))
  expect(text).not.toMatch(/very-secret|abcdefghijklmnop/)
  expect(text).toContain('<script>alert(1)</script>')
})

test('a reader hears new lines that match as they are written, and comes back behind the last one', async () => {
  const reader = await follow('?level=info&search=live')
  log.info('live one')
  log.debug('live but too quiet')
  log.info('something else')
  log.info('live two')
  await reader.untilKind('line', 2)
  expect(words(reader)).toEqual(['live one', 'live two'])
  reader.leave()
  log.info('live three')
  const back = await follow('?search=live', { 'last-event-id': reader.lastId() })
  await back.untilKind('line', 1)
  expect(words(back)).toEqual(['live three'])
})

test('whoever comes back with an id of an earlier process gets everything that this one has kept', async () => {
  log.info('kept line')
  const back = await follow('?search=kept+line', { 'last-event-id': '00000000-999999' })
  await back.untilKind('line', 1)
  expect(words(back)).toContain('kept line')
  for (const wrong of ['stream?after=what', 'stream?node=0', '?after=12', '?node=x']) {
    const bad = await fetch(`${url}/v1/admin/log/${wrong}`.replace('/?', '?'), { headers: { authorization } })
    expect(bad.status, wrong).toBe(400)
  }
  expect((await fetch(`${url}/v1/admin/log?node=999999`, { headers: { authorization } })).status).toBe(404)
})

test('a reader that was away longer than lines are kept is told how many it lost', async () => {
  const reader = await follow('?search=away')
  log.info('away begins')
  await reader.untilKind('line', 1)
  reader.leave()
  for (let n = 0; n < 3_500; n++) log.info(`flood ${n}`)
  const back = await follow('?search=flood', { 'last-event-id': reader.lastId() })
  const missed = await back.untilKind('missed')
  expect(missed.data.lines).toBeGreaterThanOrEqual(500)
  expect(missed.data.lines).toBeLessThan(700)
})

test('a reader that stands still holds nothing up and nothing for itself, and hears on when it reads again', async () => {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' })
  onTestFinished(() => void socket.destroy())
  let got = ''
  socket.on('data', (bytes) => {
    got += bytes.toString('latin1')
  })
  socket.write(
    `GET /v1/admin/log/stream?search=heavy HTTP/1.1\r\nHost: example.com\r\nAuthorization: ${authorization}\r\n\r\n`,
  )
  await expect.poll(() => got).toContain('retry:')
  socket.pause()
  const filler = 'x'.repeat(4_000)
  for (let n = 0; n < 9_000; n++) {
    log.info({ filler }, `heavy ${n}`)
    if (n % 500 === 0) await new Promise(setImmediate)
  }
  socket.resume()
  await expect.poll(() => got.includes('heavy 8999')).toBe(true)
  expect(got).toMatch(/event: missed\ndata: \{"lines":\d+\}/)
})

test('only so many follow at once, and who leaves makes room', async () => {
  const readers = await Promise.all(Array.from({ length: 50 }, () => follow('?search=none')))
  const refused = await fetch(`${url}/v1/admin/log/stream`, { headers: { authorization } })
  expect(refused.status).toBe(429)
  for (const reader of readers) reader.leave()
  await expect
    .poll(async () => {
      const reader = await readEvents(`${url}/v1/admin/log/stream`, { authorization })
      open.push(reader)
      return reader.response.status
    })
    .toBe(200)
})
