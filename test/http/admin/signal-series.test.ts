/** The signals over time: each turn and delivery in its own piece of time, other workspaces' in none, and fast where there are many. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { firstUuidAt, firstWorkspaceId, newWorkspaceId, uuidOf } from '../../../store/id.ts'
import { readSeries } from '../../../store/signals/series.ts'
import { readTotals } from '../../../store/signals/totals.ts'
import { ensureWorkspace } from '../../../store/workspaces.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'
import { completionOf, json } from '../../support/model-endpoint.ts'
import { leastOf, processorMs } from '../../support/processor-ms.ts'

let running: GatewayUnderTest
const elsewhere = newWorkspaceId()
/** One for all rows of a test, in the middle of a minute: no minute ends between two of them. */
let nowMs: number

beforeAll(async () => {
  running = await gatewayUnderTest()
  await ensureWorkspace(running.db, elsewhere, 'elsewhere')
})
afterAll(() => running?.stop())
beforeEach(async () => {
  nowMs = Math.floor(Date.now() / minute) * minute + minute / 2
  await running.db.system`delete from turns`
  await running.db.system`delete from deliveries`
})

const minute = 60_000

async function series(minutes: number) {
  const answer = await running.get(`/v1/admin/signals/series?minutes=${minutes}`)
  expect(answer.status).toBe(200)
  // biome-ignore lint/suspicious/noExplicitAny: the schema is the route's, and the gateway has checked it
  return (await answer.json()) as any
}

const idAt = (ms: number): string => firstUuidAt(ms).slice(0, 12) + randomUUID().replaceAll('-', '').slice(12)

async function turn(agoMs: number, status: string, durationMs: number, workspace = firstWorkspaceId): Promise<void> {
  const at = nowMs - agoMs
  await running.db.system`
    insert into turns (id, workspace_id, request_id, epoch, status, model, is_stream, duration_ms, time_to_first_token_ms,
      prompt_tokens, completion_tokens, started_at)
    values (${idAt(at)}, ${uuidOf(workspace)}, 'r', 1, ${status}, 'm', true, ${durationMs}, 80, 10, 1, ${new Date(at)})`
}

async function delivery(agoMs: number, status: string): Promise<void> {
  await running.db.system`
    insert into deliveries (id, workspace_id, channel_id, conversation_id, turn_id, message_id, seq, status, expires_at)
    values (${idAt(nowMs - agoMs)}, ${uuidOf(firstWorkspaceId)}, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(),
      gen_random_uuid(), 1, ${status}, now())`
}

test('an hour has sixty minutes, each with its own turns and deliveries', async () => {
  for (const durationMs of [100, 200, 900]) await turn(10 * minute, 'completed', durationMs)
  await turn(10 * minute, 'failed', 50)
  await turn(10 * minute, 'cancelled', 50)
  await turn(10 * minute, 'completed', 5, elsewhere)
  await turn(70 * minute, 'completed', 7)
  await delivery(30 * minute, 'delivered')
  await delivery(30 * minute, 'undeliverable')
  const { piece_ms, points } = await series(60)
  expect(piece_ms).toBe(minute)
  expect(points).toHaveLength(60)
  const told = points.filter((point: { completed: number; failed: number }) => point.completed + point.failed > 0)
  const sums = told.map(({ completed, failed }: { completed: number; failed: number }) => [completed, failed])
  expect(sums).toEqual([[3, 1]])
  expect(told[0]).toMatchObject({
    median_ms: 200,
    p95_ms: expect.closeTo(830),
    p99_ms: expect.closeTo(886),
    first_token_ms: 80,
  })
  expect(told[0]).toMatchObject({ tokens_in: 50, tokens_out: 5 })
  const sent = points.flatMap(({ deliveries }: { deliveries: Record<string, number> }) =>
    Object.entries(deliveries).filter(([, rows]) => rows > 0),
  )
  expect(Object.fromEntries(sent)).toEqual({ delivered: 1, undeliverable: 1 })
})

test('a day has ninety-six quarters, the last of which is now', async () => {
  await turn(23 * 60 * minute, 'completed', 100)
  await turn(0, 'failed', 100)
  const { piece_ms, points } = await series(1440)
  expect([piece_ms, points.length]).toEqual([15 * minute, 96])
  expect(points.at(-1).failed + points.at(-2).failed).toBe(1)
  expect(points.slice(0, 6).reduce((sum: number, { completed }: { completed: number }) => sum + completed, 0)).toBe(1)
  expect(new Date(points.at(-1).from).getTime() + piece_ms).toBeGreaterThan(Date.now() - minute)
})

test('the whole time stands beside the same time a day before', async () => {
  for (const durationMs of [100, 200, 300]) await turn(20 * minute, 'completed', durationMs)
  await turn(20 * minute, 'failed', 50)
  await turn(24 * 60 * minute + 20 * minute, 'completed', 700)
  await turn(5 * 60 * minute, 'completed', 9_000)
  const hour = await series(60)
  expect(hour.totals).toMatchObject({ turns: 4, completed: 3, failed: 1, p50_ms: 200, first_token_p50_ms: 80 })
  expect(hour.totals_before).toMatchObject({ turns: 1, completed: 1, failed: 0, p50_ms: 700, p99_ms: 700 })
  const sixHours = await series(360)
  expect([sixHours.piece_ms, sixHours.points.length, sixHours.totals.turns]).toEqual([5 * minute, 72, 5])
  const newest = { fromMs: nowMs - 60 * minute, untilMs: nowMs }
  expect(await readTotals(running.db, firstWorkspaceId, newest, 3)).toMatchObject({ turns: 3, isPartial: true })
})

test('a week and thirty days come from the sums of usage, and know turns whose records are gone', async () => {
  running.endpoint.always(json({ ...completionOf('hello') }))
  const asked = { model: 'x', messages: [{ role: 'user', content: 'hello' }] }
  expect((await running.post('/v1/chat/completions', asked)).status).toBe(200)
  await expect.poll(async () => (await series(10_080)).totals).toMatchObject({ turns: 1, completed: 1, failed: 0 })
  await running.db.system`delete from turns`
  for (const [minutes, pieces] of [
    [10_080, 84],
    [43_200, 60],
  ] as const) {
    const { points, totals, totals_before } = await series(minutes)
    expect(points).toHaveLength(pieces)
    const counted = points.filter(({ completed }: { completed: number }) => completed > 0)
    expect(counted).toHaveLength(1)
    expect(counted[0].median_ms).toBeGreaterThan(0)
    expect(counted[0].tokens_in).toBeGreaterThan(0)
    expect(totals.p50_ms).toBe(counted[0].median_ms)
    expect(totals_before).toMatchObject({ turns: 0, p50_ms: null })
  }
})

test('another span is refused', async () => {
  expect((await running.get('/v1/admin/signals/series?minutes=30')).status).toBe(400)
})

test('a piece looks at its newest rows and says that there are more', async () => {
  const fromMs = Date.now() - 2 * minute
  for (let n = 0; n < 4; n++) await turn(minute, 'completed', 100)
  const [first] = await readSeries(running.db, firstWorkspaceId, { fromMs, pieceMs: 3 * minute, pieces: 1 }, 3)
  expect(first).toMatchObject({ completed: 3, isPartial: true })
})

test('a hundred thousand turns of a day are read with less than a second of processor time', async () => {
  const fromMs = Date.now() - 1439 * minute
  await running.db.system`
    insert into turns (id, workspace_id, request_id, epoch, status, model, is_stream, duration_ms, started_at)
    select (lpad(to_hex(${fromMs}::bigint + n * 860), 12, '0') || lpad(to_hex(n), 20, '0'))::uuid, ${uuidOf(firstWorkspaceId)}, 'r', 1,
      case when n % 50 = 0 then 'failed' else 'completed' end, 'm', false, n % 1000, now()
    from generate_series(1, 100000) as n`
  const readDay = async () => {
    const { points } = await series(1440)
    const sum = points.reduce(
      (all: number, one: { completed: number; failed: number }) => all + one.completed + one.failed,
      0,
    )
    expect(sum).toBeGreaterThan(99_000)
  }
  const ms = await leastOf(3, () => processorMs(readDay, running.db))
  console.log(`a day of 100,000 turns: ${ms.toFixed(0)} ms`)
  expect(ms).toBeLessThan(1_000)
})
