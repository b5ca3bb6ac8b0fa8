/** Events become deliveries of subscriptions: each once, in rounds of so many. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tellTestAlert } from '../../store/alerts/alerts.ts'
import { firstWorkspaceId as workspaceId } from '../../store/id.ts'
import { fanOutEvents } from '../../store/subscriptions/outbox.ts'
import { createSubscription } from '../../store/subscriptions/subscriptions.ts'
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
    const round = await fanOutEvents(db, held, () => null, 4)
    rounds.push(round.deliveries)
    isMore = round.isMore
  }
  // Of an event all at once: the cursor lies between events.
  expect(rounds).toEqual([6, 6, 3])
  expect((await fanOutEvents(db, held, () => null, 4)).deliveries).toBe(0)
})
