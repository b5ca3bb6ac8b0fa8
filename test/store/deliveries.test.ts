/** The outbox in the database: in order, taken once, fenced, recovered, expired; changed by operators only where it may be. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AuditActor } from '../../store/audit/audit.ts'
import { createChannel, type StoredChannel } from '../../store/channels.ts'
import { cancelDelivery, retryDelivery } from '../../store/deliveries/changes.ts'
import {
  type Attempt,
  attemptWriter,
  claimDeliveries,
  expireDeliveries,
  nextDeliveryInMs,
  openDeliveries,
  recoverDeliveries,
  releaseDeliveries,
} from '../../store/deliveries/deliveries.ts'
import { type DeliveryId, firstWorkspaceId, newWorkspaceId, uuidOf } from '../../store/id.ts'
import { ensureWorkspace } from '../../store/workspaces.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { ownSlots } from '../support/slots.ts'
import { answered, claimed, deliveredAttempt, messageOf } from './support/channel.ts'

let fresh: FreshDatabase
let channel: StoredChannel
beforeEach(async () => {
  fresh = await freshDatabase()
  channel = await made('shop')
  await ownSlots(fresh.db)
})
afterEach(() => fresh.drop())

const made = (name: string) =>
  createChannel(fresh.db, firstWorkspaceId, {
    ...{ name, adapter: 'generic', config: {}, secrets: null, isEnabled: true, isPaused: false },
  })

async function bind(sender: string, to = channel): Promise<void> {
  await fresh.db.system`
    insert into channel_bindings (channel_id, external_id, workspace_id, role, created_by)
    values (${uuidOf(to.id)}, ${sender}, ${uuidOf(firstWorkspaceId)}, 'user', 'test') on conflict do nothing`
}

/** An answer to a message of the sender, on its way. */
async function delivery(sender = 'anna', to = channel): Promise<DeliveryId> {
  await bind(sender, to)
  const conversation = await messageOf(fresh.db, to, sender)
  return await answered(fresh.db, await claimed(fresh.db, conversation), conversation)
}

const later = (ms: number): Date => new Date(Date.now() + ms)
const held = (node = 1) => ({ key: channel.id, node, lease: node })
const claim = async (options: { node?: number; limit?: number; now?: Date } = {}) =>
  (await claimDeliveries(fresh.db, held(options.node), options.limit ?? 100, options.now)).map(({ id }) => id)

async function record(attempt: Attempt, node = 1): Promise<boolean> {
  const writer = attemptWriter(fresh.db, node)
  try {
    return await writer.record({ ...attempt, lease: node })
  } finally {
    await writer.close()
  }
}

const failedAttempt = (id: DeliveryId, nextAt: Date | null): Attempt => ({
  ...deliveredAttempt(id),
  ...{ outcome: 'failed', status: nextAt ? 'failed' : 'undeliverable', statusCode: 503, error: 'no', nextAt },
})

async function state(id: DeliveryId): Promise<{ status: string; attempts: number; reason: string | null }> {
  const [row] = await fresh.db.system<{ status: string; attempts: number; reason: string | null }>`
    select status, attempts, reason from deliveries where id = ${uuidOf(id)}`
  if (!row) throw new Error('there is no such delivery')
  return row
}

async function events(kind: string): Promise<number> {
  const [row] = await fresh.db.system<{ n: number }>`select count(*)::integer as n from events where kind = ${kind}`
  return row?.n ?? 0
}

const actor: AuditActor = { workspaceId: firstWorkspaceId, name: 'tester', ip: '127.0.0.1', requestId: 'r' }

test('the oldest delivery of each conversation is claimed, and the next one once that has ended', async () => {
  const first = await delivery('anna')
  const second = await delivery('anna')
  const other = await delivery('bert')
  expect((await claim()).sort()).toEqual([first, other].sort())
  expect(await claim()).toEqual([])
  await record(failedAttempt(first, later(3_600_000)))
  expect(await claim()).toEqual([])
  expect(await claim({ now: later(3_601_000) })).toEqual([first])
  await record(deliveredAttempt(first))
  expect(await claim()).toEqual([second])
})

test('two claims at once never get the same delivery', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, (_, at) => delivery(`sender-${at}`)))
  const claimResults = await Promise.all([claim({ limit: 15 }), claim({ limit: 15 }), claim({ limit: 15 })])
  expect(claimResults.flat().sort()).toEqual(all.sort())
})

test('no more are claimed than requested, and none of another channel', async () => {
  const elsewhere = await made('elsewhere')
  await delivery('anna', elsewhere)
  for (const sender of ['bert', 'carl', 'dora']) await delivery(sender)
  expect(await claim({ limit: 2 })).toHaveLength(2)
  expect(await claim()).toHaveLength(1)
  expect(await claim()).toHaveLength(0)
})

test('a due delivery is not delayed when our clock is behind the database’s', async () => {
  const id = await delivery()
  expect(await nextDeliveryInMs(fresh.db, channel.id, later(-3_600_000))).toBeLessThanOrEqual(0)
  expect(await claim({ now: later(-3_600_000) })).toEqual([id])
})

test('an attempt is recorded with its event, and only by the node that claimed the delivery', async () => {
  const id = await delivery()
  expect(await record(deliveredAttempt(id))).toBe(false)
  await ownSlots(fresh.db, 2)
  expect(await claim({ node: 1 })).toEqual([])
  await claim({ node: 2 })
  expect(await record(deliveredAttempt(id), 1)).toBe(false)
  expect(await state(id)).toMatchObject({ status: 'sending', attempts: 0 })
  expect(await record(deliveredAttempt(id), 2)).toBe(true)
  expect(await record(failedAttempt(id, later(0)), 2)).toBe(false)
  expect(await state(id)).toMatchObject({ status: 'delivered', attempts: 1 })
  expect([await events('delivery.delivered'), await events('delivery.failed')]).toEqual([1, 0])
})

test('an error text that PostgreSQL refuses is stored without the bad characters, and bounded', async () => {
  const id = await delivery()
  await claim()
  await record({ ...failedAttempt(id, later(0)), error: `bad \0 and \ud800 ${'x'.repeat(5_000)}` })
  const { reason } = await state(id)
  expect(reason).toMatch(/^bad {2}and \ufffd x+$/)
  expect(reason?.length).toBe(2_000)
})

test('a claimed delivery without an attempt is released, and no attempt is counted', async () => {
  const id = await delivery()
  await claim()
  await releaseDeliveries(fresh.db, held(), [id], later(5_000))
  expect(await state(id)).toMatchObject({ status: 'pending', attempts: 0 })
  expect(await claim()).toEqual([])
  const waitMs = (await nextDeliveryInMs(fresh.db, channel.id)) ?? 0
  expect(waitMs).toBeGreaterThan(3_000)
  expect(waitMs).toBeLessThanOrEqual(5_000)
  expect(await claim({ now: later(5_001) })).toEqual([id])
})

test('without pending deliveries there is no next check', async () => {
  expect(await nextDeliveryInMs(fresh.db, channel.id)).toBeNull()
  const id = await delivery()
  await claim()
  await record(deliveredAttempt(id))
  expect(await nextDeliveryInMs(fresh.db, channel.id)).toBeNull()
})

test('a delivery that another node was sending counts as attempted, and is given up after its last attempt', async () => {
  const id = await delivery()
  await claim()
  await ownSlots(fresh.db, 2)
  expect(await recoverDeliveries(fresh.db, held(1), 2)).toBe(0)
  expect(await recoverDeliveries(fresh.db, held(2), 2)).toBe(1)
  expect(await state(id)).toMatchObject({
    status: 'failed',
    attempts: 1,
    reason: 'the service stopped while it was sent',
  })
  const [again] = await claimDeliveries(fresh.db, held(2), 1)
  expect(again).toMatchObject({ id, attempts: 1, failures: 0 })
  await ownSlots(fresh.db, 3)
  expect(await recoverDeliveries(fresh.db, held(3), 2)).toBe(1)
  expect(await state(id)).toMatchObject({ status: 'undeliverable', attempts: 2 })
  expect(await events('delivery.undeliverable')).toBe(1)
  expect(await recoverDeliveries(fresh.db, held(3), 2)).toBe(0)
})

test('deliveries that are too old are given up, except those being sent', async () => {
  const [old, sending] = [await delivery('anna'), await delivery('bert')]
  await fresh.db.system`update deliveries set next_at = now() + interval '1 hour' where id = ${uuidOf(old)}`
  await claim()
  expect(await expireDeliveries(fresh.db, held(), 10, later(3_500_000))).toBe(0)
  expect(await expireDeliveries(fresh.db, held(), 10, later(3_700_000))).toBe(1)
  expect(await state(old)).toMatchObject({ status: 'undeliverable', reason: 'too old to be sent' })
  expect(await state(sending)).toMatchObject({ status: 'sending' })
})

test('an operator’s retry resets the attempts, and never shortens the time that is left', async () => {
  const id = await delivery()
  await claim()
  await record(failedAttempt(id, null))
  expect(await retryDelivery(fresh.db, actor, id, later(7_200_000))).toBe(channel.id)
  expect(await state(id)).toMatchObject({ status: 'pending', attempts: 1 })
  const [again] = await claimDeliveries(fresh.db, held(), 1)
  expect(again).toMatchObject({ id, attempts: 0, failures: 0 })
  expect(again?.expiresAt.getTime()).toBeGreaterThan(Date.now() + 7_000_000)
  expect(await retryDelivery(fresh.db, actor, id, later(0))).toBeNull()
  expect(await cancelDelivery(fresh.db, actor, id)).toBeNull()
})

test('an operator of another workspace changes nothing', async () => {
  const id = await delivery()
  const stranger = { ...actor, workspaceId: newWorkspaceId() }
  await ensureWorkspace(fresh.db, stranger.workspaceId, 'elsewhere')
  expect(await cancelDelivery(fresh.db, stranger, id)).toBeNull()
  expect(await retryDelivery(fresh.db, stranger, id, later(0))).toBeNull()
  expect(await state(id)).toMatchObject({ status: 'pending' })
})

test('a change that cannot be audited is not made', async () => {
  const id = await delivery()
  const nobody = { ...actor, name: undefined as never }
  await expect(cancelDelivery(fresh.db, nobody, id)).rejects.toThrow()
  expect(await state(id)).toMatchObject({ status: 'pending' })
  expect(await events('delivery.cancelled')).toBe(0)
})

test('pending deliveries are counted with the age of the oldest, up to a bound', async () => {
  expect(await openDeliveries(fresh.db, 10)).toEqual({ pending: 0, oldestAgeS: 0 })
  const [first] = [await delivery('anna'), await delivery('bert'), await delivery('carl')]
  await fresh.db.system`update deliveries set created_at = now() - interval '90 seconds' where id = ${uuidOf(first)}`
  const { pending, oldestAgeS } = await openDeliveries(fresh.db, 10)
  expect(pending).toBe(3)
  expect(Math.round(oldestAgeS / 10)).toBe(9)
  expect((await openDeliveries(fresh.db, 2)).pending).toBe(2)
})
