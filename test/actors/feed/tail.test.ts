/** The tail of events: quiet while nobody follows, each follower gets its own, once and in order, and hears of the end. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type FeedTail, type Follower, feedTail } from '../../../actors/feed/tail.ts'
import type { Database } from '../../../store/database.ts'
import { type ConversationId, firstWorkspaceId, newConversationId, newWorkspaceId, uuidOf } from '../../../store/id.ts'
import type { Query } from '../../../store/postgres/query.ts'
import { type FreshDatabase, freshDatabase } from '../../support/database.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { type VirtualClock, virtualClock } from '../../support/virtual-clock.ts'

let fresh: FreshDatabase
let counted: CountedDatabase
let clock: VirtualClock
let tail: FeedTail
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())
beforeEach(() => {
  counted = countedDatabase(fresh.db)
  clock = virtualClock()
  tail = feedTail({ db: counted.db, clock, log: recordingLog().log })
  return () => tail.close()
})

interface CountedDatabase {
  db: Database
  queries: string[]
  /** What the next query that reads fields waits for, after it has been asked for. */
  gate: Promise<unknown> | undefined
  onFields: (() => void) | undefined
}

function countedDatabase(db: Database): CountedDatabase {
  const counted: CountedDatabase = { db, queries: [], gate: undefined, onFields: undefined }
  const system: Query = async (text, ...values) => {
    const whole = text.join('?')
    counted.queries.push(whole)
    if (whole.includes('wanted (xid, id)')) {
      counted.onFields?.()
      await counted.gate
    }
    return db.system(text, ...values)
  }
  counted.db = { ...db, system }
  return counted
}

interface Listener extends Follower {
  kinds: string[]
  isClosed: boolean
}

function listener(conversationId: ConversationId | null = null, workspaceId = firstWorkspaceId): Listener {
  const kinds: string[] = []
  return {
    ...{ workspaceId, conversationId, kinds, isClosed: false },
    event: ({ kind }) => void kinds.push(kind),
    closed() {
      this.isClosed = true
    },
  }
}

/** Whether a look that was under way has ended, and no other follows. */
function isIdle(): boolean {
  try {
    return tail.position === undefined
  } catch {
    return clock.timersWaiting === 0
  }
}

async function write(kind: string, conversation: ConversationId | null = null, workspace = firstWorkspaceId) {
  await fresh.db.system`
    insert into events (workspace_id, kind, conversation_id)
    values (${uuidOf(workspace)}, ${kind}, ${conversation && uuidOf(conversation)})`
}

/** Looks until the condition holds: other tests' transactions on the same server may hold events up. */
const lookUntil = (condition: () => boolean) =>
  expect
    .poll(
      () => {
        tail.wake()
        return condition()
      },
      { interval: 10 },
    )
    .toBe(true)

test('reads nothing while nobody follows, however often it is woken, and nothing more once all have left', async () => {
  for (let attempt = 0; attempt < 5; attempt++) tail.wake()
  await clock.advance(10_000)
  expect(counted.queries).toEqual([])
  expect(clock.timersWaiting).toBe(0)

  const letGo = await tail.hold()
  const one = listener()
  const leave = tail.follow(one)
  await write('test.one')
  await lookUntil(() => one.kinds.length === 1)
  expect(tail.followers).toBe(1)
  leave()
  leave()
  letGo()
  letGo()
  expect(tail.followers).toBe(0)
  await expect
    .poll(async () => {
      await clock.advance(1_000)
      return isIdle()
    })
    .toBe(true)
  const before = counted.queries.length
  for (let attempt = 0; attempt < 5; attempt++) tail.wake()
  await clock.advance(10_000)
  expect(counted.queries).toHaveLength(before)
})

test('looks by itself every quarter of a second: what other processes write is found', async () => {
  await tail.hold()
  const one = listener()
  tail.follow(one)
  await write('test.elsewhere')
  await expect
    .poll(async () => {
      await clock.advance(250)
      return one.kinds
    })
    .toEqual(['test.elsewhere'])
})

test('whoever begins after a pause begins there: what was written meanwhile is not told', async () => {
  const letGo = await tail.hold()
  letGo()
  await clock.advance(1_000)
  await expect.poll(() => clock.timersWaiting).toBe(0)
  await write('test.meanwhile')
  await expect
    .poll(
      async () =>
        (
          await fresh.db
            .system`select 1 as one from events where xid < service_event_horizon() and kind = 'test.meanwhile'`
        ).length,
    )
    .toBe(1)
  await tail.hold()
  const one = listener()
  tail.follow(one)
  await write('test.after')
  await lookUntil(() => one.kinds.length > 0)
  expect(one.kinds).toEqual(['test.after'])
})

test('followers of a conversation get what is of it, those of a workspace what is of that, each in order', async () => {
  await tail.hold()
  const [ann, bob] = [newConversationId(), newConversationId()]
  const other = newWorkspaceId()
  const followers = [listener(ann), listener(bob), listener(), listener(null, other)] as const
  for (const follower of followers) tail.follow(follower)
  await write('test.one', ann)
  await write('test.two', bob)
  await write('test.three')
  await write('test.four', ann)
  await write('test.five', null, other)
  await lookUntil(() => followers[3].kinds.length === 1)
  expect(followers.map(({ kinds }) => kinds)).toEqual([
    ['test.one', 'test.four'],
    ['test.two'],
    ['test.one', 'test.two', 'test.three', 'test.four'],
    ['test.five'],
  ])
})

test('the fields of events that nobody wants are never read', async () => {
  await tail.hold()
  const one = listener(newConversationId())
  tail.follow(one)
  const before = tail.position
  await write('test.unwanted', newConversationId())
  await lookUntil(() => tail.position.xid > before.xid)
  expect(counted.queries.filter((query) => query.includes('wanted (xid, id)'))).toEqual([])
  expect(one.kinds).toEqual([])
})

test('one who joins during a read misses nothing: not what was found before it came, if it is not level yet', async () => {
  await tail.hold()
  const first = listener(newConversationId())
  const conversation = newConversationId()
  tail.follow(first)
  const queried = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  counted.onFields = queried.resolve
  counted.gate = gate.promise
  await write('test.one', first.conversationId)
  await write('test.one', conversation)
  await lookUntil(() => counted.queries.some((query) => query.includes('wanted (xid, id)')))
  await queried.promise
  // The page was chosen while nobody followed this conversation; the tail still stands before it.
  const late = listener(conversation)
  const stands = tail.position
  tail.follow(late)
  gate.resolve()
  await lookUntil(() => tail.position.xid > stands.xid && first.kinds.length === 1)
  await lookUntil(() => late.kinds.length > 0)
  await write('test.two', conversation)
  await lookUntil(() => late.kinds.length > 1)
  expect(late.kinds).toEqual(['test.one', 'test.two'])
  expect(first.kinds).toEqual(['test.one'])
})

test('a read that fails is tried again, and nothing is told twice', async () => {
  await tail.hold()
  const one = listener()
  tail.follow(one)
  const failing = Promise.reject(new Error('the database is away'))
  failing.catch(() => {})
  counted.gate = failing
  await write('test.one')
  await lookUntil(() => counted.queries.some((query) => query.includes('wanted (xid, id)')))
  expect(one.kinds).toEqual([])
  counted.gate = undefined
  await lookUntil(() => one.kinds.length > 0)
  await write('test.two')
  await lookUntil(() => one.kinds.length > 1)
  expect(one.kinds).toEqual(['test.one', 'test.two'])
})

test('more than a page is handed over in one go, in order', async () => {
  await tail.hold()
  const one = listener()
  tail.follow(one)
  await fresh.db.system`
    insert into events (workspace_id, kind)
    select ${uuidOf(firstWorkspaceId)}, 'test.n' || n from generate_series(1, 2500) as n order by n`
  await lookUntil(() => one.kinds.length >= 2_500)
  expect(one.kinds).toEqual(Array.from({ length: 2_500 }, (_, at) => `test.n${at + 1}`))
})

test('closing hands over what is committed, then tells everybody, also those who come too late', async () => {
  await tail.hold()
  const [one, other, gone] = [listener(), listener(newConversationId()), listener()]
  tail.follow(one)
  tail.follow(other)
  tail.follow(gone)()
  await write('test.last')
  await expect
    .poll(
      async () =>
        (await fresh.db.system`select 1 as one from events where xid < service_event_horizon() and kind = 'test.last'`)
          .length,
    )
    .toBe(1)
  await tail.close()
  expect(one.kinds).toEqual(['test.last'])
  expect([one.isClosed, other.isClosed, gone.isClosed]).toEqual([true, true, false])
  const late = listener()
  tail.follow(late)()
  expect(late.isClosed).toBe(true)
})

test('closing waits a second for a read that hangs, and no longer', async () => {
  await tail.hold()
  const one = listener()
  tail.follow(one)
  const hangs = Promise.withResolvers<void>()
  counted.gate = hangs.promise
  await write('test.never')
  await lookUntil(() => counted.queries.some((query) => query.includes('wanted (xid, id)')))
  const closing = tail.close()
  await clock.advance(999)
  expect(one.isClosed).toBe(false)
  await clock.advance(1)
  await closing
  expect(one.isClosed).toBe(true)
  hangs.resolve()
})
