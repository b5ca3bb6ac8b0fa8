import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../runtime/time/clock.ts'
import { firstWorkspaceId, newApiKeyId, newTurnId, type TurnId } from '../../store/id.ts'
import { loseNodes } from '../../store/nodes/nodes.ts'
import { recoverTurns } from '../../store/turns/queue.ts'
import { interruptLostTurns, type TurnWriter, turnWriter } from '../../store/turns/turns.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { recentTurns } from '../support/recent-turns.ts'
import { registeredNode } from '../support/registered-node.ts'
import { turnEnd, turnStart } from './support/turns.ts'

let fresh: FreshDatabase
let turns: TurnWriter
beforeEach(async () => {
  fresh = await freshDatabase()
  turns = turnWriter(fresh.db, 7, systemClock)
})
afterEach(async () => {
  await turns.close()
  await fresh.drop()
})

const page = { before: null, limit: 1_000 }

async function statusOf(id: TurnId): Promise<string | undefined> {
  return (await recentTurns(fresh.db, firstWorkspaceId, page)).find((turn) => turn.id === id)?.status
}

test('a turn is running from its start and has everything at its end', async () => {
  const start = turnStart({ apiKeyId: newApiKeyId() })
  const record = turns.begin(start)
  await record.known
  expect(await recentTurns(fresh.db, firstWorkspaceId, page)).toMatchObject([
    { id: start.id, status: 'running', isStream: true },
  ])

  const end = turnEnd({ status: 'failed', errorCode: 'upstream', errorMessage: 'it broke', finishReason: null })
  await record.end(end)

  expect(await recentTurns(fresh.db, firstWorkspaceId, page)).toEqual([
    { id: start.id, conversationId: null, requestId: 'req-1', isStream: true, startedAt: start.startedAt, ...end },
  ])
})

test('a turn that ends before its start was written is written once, complete', async () => {
  const start = turnStart()
  const record = turns.begin(start)
  await Promise.all([record.end(turnEnd()), record.known])
  expect(await recentTurns(fresh.db, firstWorkspaceId, page)).toMatchObject([
    { id: start.id, status: 'completed', promptTokens: 11 },
  ])
})

test('an end that overtakes the start in the database is not undone by it', async () => {
  const start = turnStart()
  const late = turnWriter(fresh.db, 7, systemClock)
  await turns.begin(start).end(turnEnd())
  await late.begin(start).known
  await late.close()
  expect(await statusOf(start.id)).toBe('completed')
})

test('a thousand turns at once are all there', async () => {
  const starts = Array.from({ length: 1_000 }, () => turnStart())
  await Promise.all(
    starts.map(async (start) => {
      const record = turns.begin(start)
      await record.known
      await record.end(turnEnd({ model: start.id }))
    }),
  )
  const stored = await recentTurns(fresh.db, firstWorkspaceId, page)
  expect(stored).toHaveLength(1_000)
  expect(stored.every((turn) => turn.status === 'completed' && turn.model === turn.id)).toBe(true)
})

test('text that PostgreSQL refuses is stored without the bad characters', async () => {
  const start = turnStart({ model: 'a\0b\ud800c' })
  const record = turns.begin(start)
  await record.known
  await record.end(turnEnd({ errorMessage: '\0broken \udfff', model: 'm\0' }))
  expect(await recentTurns(fresh.db, firstWorkspaceId, page)).toMatchObject([
    { model: 'm', errorMessage: 'broken \ufffd' },
  ])
})

test('a row that cannot be stored fails alone, and the others of its batch are stored', async () => {
  const starts = Array.from({ length: 64 }, () => turnStart())
  const outcomes = await Promise.allSettled(
    starts.map((start, at) => turns.begin(start).end(turnEnd({ durationMs: at === 40 ? 1e39 : 1 }))),
  )
  expect(outcomes.map(({ status }) => status).filter((status) => status === 'rejected')).toHaveLength(1)
  expect(outcomes[40]).toMatchObject({ status: 'rejected', reason: { code: '22003' } })
  expect(
    (await recentTurns(fresh.db, firstWorkspaceId, page)).filter((turn) => turn.status === 'completed'),
  ).toHaveLength(63)
})

test('nor does one of which no statement can be made', async () => {
  const starts = Array.from({ length: 64 }, () => turnStart())
  const wrong = { not: 'a text' } as unknown as string
  const outcomes = await Promise.allSettled(
    starts.map((start, at) => turns.begin(start).end(turnEnd(at === 40 ? { finishReason: wrong } : {}))),
  )
  expect(outcomes.flatMap(({ status }, at) => (status === 'rejected' ? [at] : []))).toEqual([40])
})

test('running calls of a lost node become interrupted; those of living nodes and ended ones do not change', async () => {
  const earlier = turnWriter(fresh.db, await registeredNode(fresh.db), systemClock)
  const [abandoned, ended, ours] = [turnStart(), turnStart(), turnStart()]
  await earlier.begin(abandoned).known
  await earlier.begin(ended).end(turnEnd())
  await earlier.close()
  const node = await registeredNode(fresh.db)
  const current = turnWriter(fresh.db, node, systemClock)
  await current.begin(ours).known

  expect(await recoverTurns(fresh.db, node, 3)).toEqual({ queued: 0, failed: 0, interrupted: 0 })
  await loseNodes(fresh.db, node, true)
  expect(await recoverTurns(fresh.db, node, 3)).toEqual({ queued: 0, failed: 0, interrupted: 1 })

  expect(await Promise.all([abandoned, ended, ours].map(({ id }) => statusOf(id)))).toEqual([
    'interrupted',
    'completed',
    'running',
  ])
  await current.close()
})

test('a turn of this instance that no longer runs is closed; young ones that may, and running ones, are not', async () => {
  const young = { startedAt: new Date('2026-01-02T04:00:00Z') }
  const begun = [turnStart(), turnStart(young), turnStart(young), turnStart()] as const
  const [, youngLost, , running] = begun
  await Promise.all(begun.map((start) => turns.begin(start).known))

  const startedBefore = new Date('2026-01-02T03:30:00Z')
  const span = { running: [running.id], startedBefore, lost: [youngLost.id, running.id] }
  expect(await interruptLostTurns(fresh.db, 7, span)).toBe(2)

  expect(await Promise.all(begun.map(({ id }) => statusOf(id)))).toEqual([
    'interrupted',
    'interrupted',
    'running',
    'running',
  ])
})

test('pages of turns go back without gaps', async () => {
  const ids = Array.from({ length: 10 }, () => newTurnId())
  for (const id of ids) await turns.begin(turnStart({ id })).known
  const first = await recentTurns(fresh.db, firstWorkspaceId, { before: null, limit: 4 })
  const second = await recentTurns(fresh.db, firstWorkspaceId, { before: first.at(-1)?.id ?? null, limit: 100 })
  expect([...first, ...second].map(({ id }) => id)).toEqual(ids.toSorted().reverse())
})

test('closing the writer writes what waits', async () => {
  const records = Array.from({ length: 300 }, () => turns.begin(turnStart()))
  const ends = records.map((record) => record.end(turnEnd()))
  await turns.close()
  await Promise.all(ends)
  expect(await recentTurns(fresh.db, firstWorkspaceId, page)).toHaveLength(300)
})
