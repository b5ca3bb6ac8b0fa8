/** Events become deliveries of subscriptions: each once, in rounds of so many. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tellTestAlert } from '../../store/alerts/alerts.ts'
import { uuidOf, firstWorkspaceId as workspaceId } from '../../store/id.ts'
import { fanOutEvents, fullOutboxes } from '../../store/subscriptions/outbox.ts'
import { createSubscription, deleteSubscription, readSubscription } from '../../store/subscriptions/subscriptions.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { ownSlots } from '../support/slots.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

test('many subscriptions to many events become deliveries in small rounds, each once', async () => {
  const { db } = fresh
  const slots = await ownSlots(db)
  const held = { key: 'subscriptions', node: slots.node, lease: slots.of('') as number }
  const actor = { workspaceId, name: 'test', ip: '::1', requestId: 'r' }
  const made = { name: 's', kind: 'mail' as const, target: 'a@example.com', eventKinds: ['alert.*'] }
  const all = { ...made, quietHours: null, isEnabled: true }
  const masterKey = () => Buffer.alloc(32) as never
  for (let at = 0; at < 3; at++) await createSubscription(db, masterKey, { made: all, secret: null, actor })
  for (let at = 0; at < 5; at++)
    await tellTestAlert(db, { workspaceId, name: 'ada', ip: '127.0.0.1', requestId: 'req' })
  const rounds: number[] = []
  let isMore = true
  while (isMore) {
    const round = await fanOutEvents(db, held, () => null, { max: 4 })
    rounds.push(round.deliveries)
    isMore = round.isMore
  }
  // Of an event all at once: the cursor lies between events.
  expect(rounds).toEqual([6, 6, 3])
  expect((await fanOutEvents(db, held, () => null, { max: 4 })).deliveries).toBe(0)
})

test('one for which as many wait as may gets no more until fewer do; deleted, it goes with all of it', async () => {
  const { db } = fresh
  const slots = await ownSlots(db)
  const held = { key: 'subscriptions', node: slots.node, lease: slots.of('') as number }
  const actor = { workspaceId, name: 'test', ip: '::1', requestId: 'r' }
  const made = { name: 's', kind: 'mail' as const, target: 'a@example.com', eventKinds: ['alert.*'] }
  const masterKey = () => Buffer.alloc(32) as never
  await db.system`delete from subscriptions`
  const id = await createSubscription(db, masterKey, {
    made: { ...made, quietHours: null, isEnabled: true },
    secret: null,
    actor,
  })
  const count = async () =>
    (await db.system<{ rows: number }>`select count(*)::integer as rows from subscription_deliveries`)[0]?.rows
  const event = () => tellTestAlert(db, actor)
  await event()
  await fanOutEvents(db, held, () => null)
  expect(await fullOutboxes(db, 2)).toEqual(new Set())
  await event()
  await fanOutEvents(db, held, () => null)
  const full = await fullOutboxes(db, 2)
  expect(full).toEqual(new Set([id]))
  await event()
  await fanOutEvents(db, held, () => null, { full })
  expect(await count()).toBe(2)
  await event()
  await fanOutEvents(db, held, () => null)
  expect(await count()).toBe(3)

  await db.system`
    insert into subscription_deliveries (id, subscription_id, event_xid, event_id, workspace_id, event_kind, event_at, expires_at)
    select gen_random_uuid(), ${uuidOf(id)}, '3'::xid8, n, ${uuidOf(workspaceId)}, 'alert.test', now(), now()
    from generate_series(1, 25000) as n`
  const subscription = await readSubscription(db, workspaceId, id)
  expect(await deleteSubscription(db, subscription as NonNullable<typeof subscription>, actor)).toBe(true)
  expect(await count()).toBe(0)
  expect(await readSubscription(db, workspaceId, id)).toBeUndefined()
})
