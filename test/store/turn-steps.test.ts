/** The ledger of a turn in the store: what is closed stays closed, events tell of it, and it is read in order. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listAudit } from '../../store/audit/audit.ts'
import { firstWorkspaceId, newConversationId, newTurnId, type TurnId, uuidOf } from '../../store/id.ts'
import {
  deleteSteps,
  listSteps,
  resolveStep,
  resultOfCall,
  type StepWriter,
  stepsOf,
  stepWriter,
  unknownSteps,
} from '../../store/turns/steps.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { firstPlace, ownSlots } from '../support/slots.ts'
import { step } from './support/steps.ts'

let fresh: FreshDatabase
let steps: StepWriter
beforeAll(async () => {
  fresh = await freshDatabase()
  steps = stepWriter(fresh.db, 1)
})
afterAll(async () => {
  await steps.close()
  await fresh.drop()
})

const events = async (turn: TurnId) =>
  (
    await fresh.db.system<{ kind: string }>`select kind from events where subject = ${uuidOf(turn)} order by xid, id`
  ).map(({ kind }) => kind)

const stored = (turn: TurnId) => stepsOf(fresh.db, firstWorkspaceId, turn)

test('a closed step is not changed by late writes', async () => {
  const turnId = newTurnId()
  const conversationId = newConversationId()
  const one = step({ turnId, conversationId })
  await steps.write(null, one)
  await steps.write(null, { ...one, status: 'unknown', result: { text: 'not known' } })
  await steps.write(null, { ...one, status: 'succeeded', result: { text: 'done' } })
  await steps.write(null, { ...one, status: 'started' })
  expect(await stored(turnId)).toMatchObject([{ status: 'unknown', result: { text: 'not known' } }])
  expect(await events(turnId)).toEqual(['step.started', 'step.unknown'])
})

test('of two writes of one step in a batch the last wins, and other rows are written', async () => {
  const [turnId, neighbour] = [newTurnId(), newTurnId()]
  await Promise.all([
    steps.write(null, step({ turnId })),
    steps.write(null, step({ turnId, status: 'succeeded', result: { text: 'done' } })),
    steps.write(null, step({ turnId: neighbour })),
  ])
  expect(await stored(turnId)).toMatchObject([{ status: 'succeeded' }])
  expect(await stored(neighbour)).toMatchObject([{ status: 'started' }])
})

test('steps that are written together are stored all or none', async () => {
  const turnId = newTurnId()
  const unfit = step({ turnId, n: 3, durationMs: Number.MAX_VALUE })
  await expect(steps.write(null, step({ turnId, n: 0 }), step({ turnId, n: 1 }), unfit)).rejects.toThrow()
  expect(await stored(turnId)).toEqual([])
  await steps.write(null, step({ turnId, n: 0 }), step({ turnId, n: 1 }))
  expect(await stored(turnId)).toMatchObject([{ n: 0 }, { n: 1 }])
})

test('model calls, and tool calls without a conversation, make no events, unless an effect is unknown', async () => {
  const turnId = newTurnId()
  await steps.write(
    null,
    step({ turnId, n: 0, kind: 'model', status: 'succeeded', conversationId: newConversationId() }),
  )
  await steps.write(null, step({ turnId, n: 1 }))
  expect(await events(turnId)).toEqual([])
  await steps.write(null, step({ turnId, n: 1, status: 'unknown' }))
  expect(await events(turnId)).toEqual(['step.unknown'])
})

test('steps are read by place for the turn, and by time for operators', async () => {
  const turnId = newTurnId()
  const at = (ms: number) => new Date(Date.parse('2026-01-02T00:00:00Z') + ms)
  await steps.write(null, step({ turnId, path: '', n: 100, startedAt: at(30) }))
  await steps.write(null, step({ turnId, path: '1', n: 0, startedAt: at(20) }))
  await steps.write(null, step({ turnId, path: '', n: 1, startedAt: at(10) }))
  expect((await stored(turnId)).map(({ path, n }) => `${path}#${n}`)).toEqual(['#1', '#100', '1#0'])
  const page = { offset: 1, limit: 1 }
  expect(await listSteps(fresh.db, firstWorkspaceId, turnId, page)).toMatchObject({ steps: [{ path: '1', n: 0 }] })
})

test('what PostgreSQL refuses of a result is removed, and its batch does not fail', async () => {
  const turnId = newTurnId()
  await steps.write(null, step({ turnId, status: 'succeeded', name: 'a\0b', result: { text: 'x\0\ud800y' } }))
  expect(await stored(turnId)).toMatchObject([{ name: 'ab', result: { text: 'xy' } }])
})

test('of several results of a call’s id the last one is read', async () => {
  const turnId = newTurnId()
  const second = new Date('2026-01-02T03:04:06Z')
  await steps.write(null, step({ turnId, n: 1, status: 'succeeded', result: { text: 'old' } }))
  await steps.write(null, step({ turnId, n: 101, status: 'succeeded', result: { text: 'new' }, startedAt: second }))
  await steps.write(null, step({ turnId, n: 201, startedAt: new Date('2026-01-02T03:04:07Z') }))
  expect(await resultOfCall(fresh.db, firstWorkspaceId, turnId, 'call_1')).toEqual({ text: 'new' })
  expect(await resultOfCall(fresh.db, firstWorkspaceId, turnId, 'other')).toBeUndefined()
})

test('an operator settles an unknown effect once, with an entry in the audit log', async () => {
  const turnId = newTurnId()
  const actor = { workspaceId: firstWorkspaceId, name: 'operator', ip: '::1', requestId: 'r' }
  await steps.write(null, step({ turnId, n: 1, status: 'unknown' }))
  await steps.write(null, step({ turnId, n: 2, status: 'succeeded' }))
  const mine = async () =>
    (await unknownSteps(fresh.db, firstWorkspaceId, 50)).filter((each) => each.turnId === turnId).length
  expect(await mine()).toBe(1)
  const settle = (n: number) => resolveStep(fresh.db, actor, { turnId, path: '', n }, 'failed', 'never arrived')
  expect(await Promise.all([settle(1), settle(1), settle(2)])).toEqual(expect.arrayContaining([true, false, false]))
  expect(await mine()).toBe(0)
  expect(await stored(turnId)).toMatchObject([{ status: 'failed' }, { status: 'succeeded' }])
  const entries = await listAudit(fresh.db, firstWorkspaceId, { before: null, limit: 5 })
  expect(entries.filter(({ action }) => action === 'effect.resolve')).toHaveLength(1)
})

test('steps are deleted by the age of their turn, a few at a time; those of open turns and unknown effects stay', async () => {
  const idAt = (day: string, digit: string): TurnId =>
    `turn_${Date.parse(day).toString(16).padStart(12, '0')}7000800000000000000${digit}` as TurnId
  const [old, unknown, open, young] = [
    ...[idAt('2020-01-01', '1'), idAt('2020-01-01', '2'), idAt('2020-01-01', '3'), idAt('2020-01-03', '4')],
  ] as [TurnId, TurnId, TurnId, TurnId]
  for (const turnId of [old, open, young])
    for (const n of [1, 2, 3]) await steps.write(null, step({ turnId, n, status: 'succeeded', result: { text: 'x' } }))
  await steps.write(null, step({ turnId: unknown, status: 'unknown' }))
  await fresh.db.system`
    insert into turns (id, workspace_id, request_id, epoch, status, model, is_stream, started_at)
    values (${uuidOf(open)}, ${uuidOf(firstWorkspaceId)}, 'r', 1, 'running', 'm', false, now())`
  const remainingSteps = async (turnId: TurnId) => (await stepsOf(fresh.db, firstWorkspaceId, turnId)).length
  const before = new Date('2020-01-02')
  await ownSlots(fresh.db)
  const held = { key: 'retention', ...firstPlace }
  expect(await deleteSteps(fresh.db, held, before, 2)).toBe(2)
  expect(await deleteSteps(fresh.db, held, before, 2)).toBe(1)
  expect(await deleteSteps(fresh.db, held, before, 2)).toBe(0)
  expect(await Promise.all([old, unknown, open, young].map(remainingSteps))).toEqual([0, 1, 3, 3])
})
