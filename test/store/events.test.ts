/** Events as they are read back: nothing skipped however late it commits, in the order of numbers, up to where they were deleted. */
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import { openDatabase } from '../../store/database.ts'
import {
  feedStart as beginning,
  cursorOf,
  type EventPosition,
  isBehind,
  parseCursor,
} from '../../store/events/cursor.ts'
import {
  deletedUpTo,
  deleteEvents,
  eventsAfter,
  eventsBetween,
  feedName,
  lastPosition,
  type StoredEvent,
} from '../../store/events/events.ts'
import { firstWorkspaceId, newConversationId, newWorkspaceId, uuidOf } from '../../store/id.ts'
import type { Query } from '../../store/postgres/query.ts'
import { ensureWorkspace } from '../../store/workspaces.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { firstPlace, ownSlots } from '../support/slots.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())
beforeEach(async () => {
  await fresh.db.system`delete from events`
})

const everything = { kinds: null, conversationId: null, channelId: null }

async function write(query: Query, kind: string, workspace = firstWorkspaceId): Promise<void> {
  await query`insert into events (workspace_id, kind) values (${uuidOf(workspace)}, ${kind})`
}

/** With numbers of the test's own; those of transactions long over. */
async function writeAt(xid: bigint, id: bigint, at = new Date()): Promise<void> {
  await fresh.db.system`
    insert into events (xid, id, workspace_id, kind, at) overriding system value
    values (${xid.toString()}::text::xid8, ${id.toString()}::bigint, ${uuidOf(firstWorkspaceId)}, ${`test.n${xid}_${id}`}, ${at})`
}

/** Reads on from where the last call stopped, as the tail and a replay do. */
function reader(limit = 2) {
  let position: EventPosition = beginning
  const kinds: string[] = []
  return {
    kinds,
    async readOn() {
      for (let isMore = true; isMore; ) {
        const rows = await eventsAfter(fresh.db, position, limit)
        kinds.push(...rows.map(({ kind }) => kind))
        position = rows.at(-1)?.position ?? position
        isMore = rows.length === limit
      }
      return kinds
    },
  }
}

describe('an event whose transaction commits late', () => {
  it('is not skipped: later events wait for it, and all come once and in order', async () => {
    const { db } = fresh
    const written = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const late = db.transaction('system', async (query) => {
      await write(query, 'test.late')
      written.resolve()
      await gate.promise
      await write(query, 'test.late_too')
    })
    await written.promise
    for (const kind of ['test.one', 'test.two', 'test.three']) await write(db.system, kind)
    const reading = reader()
    expect(await reading.readOn()).toEqual([])
    // A replay goes no further than what can be read.
    const between = async () =>
      eventsBetween(db, firstWorkspaceId, everything, { after: beginning, upTo: await lastPosition(db), limit: 10 })
    expect(await between()).toEqual([])
    gate.resolve()
    await late
    const all = ['test.late', 'test.late_too', 'test.one', 'test.two', 'test.three']
    await expect.poll(() => reading.readOn()).toEqual(all)
    expect((await between()).map(({ kind }) => kind)).toEqual(all)
    await reading.readOn()
    expect(reading.kinds).toEqual(all)
  })

  it('and is rolled back delays readers only while it runs', async () => {
    const { db } = fresh
    const late = db.transaction('system', async (query) => {
      await write(query, 'test.never')
      throw new Error('changed its mind')
    })
    await expect(late).rejects.toThrow('changed its mind')
    await write(db.system, 'test.after')
    await expect.poll(() => reader().readOn()).toEqual(['test.after'])
  })

  it('does not get lost for a new reader, who begins before it', async () => {
    const { db } = fresh
    await write(db.system, 'test.before')
    await expect.poll(() => reader().readOn()).toEqual(['test.before'])
    const written = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const late = db.transaction('system', async (query) => {
      await write(query, 'test.late')
      written.resolve()
      await gate.promise
    })
    await written.promise
    await write(db.system, 'test.after')
    const begun = await lastPosition(db)
    gate.resolve()
    await late
    await expect
      .poll(async () => (await eventsAfter(db, begun, 10)).map(({ kind }) => kind))
      .toEqual(['test.late', 'test.after'])
  })
})

test('positions are ordered as numbers, not as text', async () => {
  const numbers = [9n, 10n, 99n, 100n]
  for (const xid of numbers.toReversed()) for (const id of numbers.toReversed()) await writeAt(xid, id)
  const ordered = numbers.flatMap((xid) => numbers.map((id) => `test.n${xid}_${id}`))
  expect(await reader(3).readOn()).toEqual(ordered)
  expect(await lastPosition(fresh.db)).toEqual({ xid: 100n, id: 100n })

  let after: EventPosition = { xid: 9n, id: 99n }
  const replayed: StoredEvent[] = []
  for (let page = 0; page < 10; page++) {
    const range = { after, upTo: { xid: 100n, id: 10n }, limit: 4 }
    const events = await eventsBetween(fresh.db, firstWorkspaceId, everything, range)
    replayed.push(...events)
    after = events.at(-1)?.position ?? after
  }
  expect(replayed.map(({ kind }) => kind)).toEqual(ordered.slice(3, -2))
})

test('a replay contains what its filter names, of its own workspace only', async () => {
  const { db } = fresh
  const other = newWorkspaceId()
  await ensureWorkspace(db, other, 'other')
  const conversation = newConversationId()
  await db.system`
    insert into events (workspace_id, kind, conversation_id) values
    (${uuidOf(firstWorkspaceId)}, 'test.one', ${uuidOf(conversation)}),
    (${uuidOf(firstWorkspaceId)}, 'test.two', ${uuidOf(conversation)}),
    (${uuidOf(firstWorkspaceId)}, 'test.one', null),
    (${uuidOf(other)}, 'test.one', ${uuidOf(conversation)})`
  await expect.poll(async () => (await reader().readOn()).length).toBe(4)
  const upTo = await lastPosition(db)
  const found = async (filter: Partial<Parameters<typeof eventsBetween>[2]>, workspace = firstWorkspaceId) => {
    const range = { after: beginning, upTo, limit: 10 }
    return (await eventsBetween(db, workspace, { ...everything, ...filter }, range)).map(({ kind }) => kind)
  }
  expect(await found({})).toEqual(['test.one', 'test.two', 'test.one'])
  expect(await found({ kinds: ['test.one'] })).toEqual(['test.one', 'test.one'])
  expect(await found({ kinds: ['test.one'], conversationId: conversation })).toEqual(['test.one'])
  expect(await found({}, other)).toEqual(['test.one'])
})

describe('deleting', () => {
  beforeAll(() => ownSlots(fresh.db))

  const held = { key: 'retention', ...firstPlace }
  const dayMs = 86_400_000
  const old = new Date(Date.now() - 8 * dayMs)
  const limit = new Date(Date.now() - 7 * dayMs)

  it('takes the oldest first, a few at a time, leaves young ones, and reports its position', async () => {
    for (const id of [1n, 2n, 3n]) await writeAt(50n, id, old)
    await writeAt(51n, 4n)
    expect(await deleteEvents(fresh.db, held, limit, 2)).toBe(2)
    expect(await deletedUpTo(fresh.db)).toEqual({ xid: 50n, id: 2n })
    expect(await deleteEvents(fresh.db, held, limit, 2)).toBe(1)
    expect(await deletedUpTo(fresh.db)).toEqual({ xid: 50n, id: 3n })
    expect(await deleteEvents(fresh.db, held, limit, 2)).toBe(0)
    expect(await deletedUpTo(fresh.db)).toEqual({ xid: 50n, id: 3n })
    expect(await reader().readOn()).toEqual(['test.n51_4'])
  })

  it('of all events keeps the last position: a reader there has missed nothing', async () => {
    await writeAt(99n, 7n, old)
    await writeAt(100n, 8n, old)
    const stood = await lastPosition(fresh.db)
    expect(await deleteEvents(fresh.db, held, limit, 10)).toBe(2)
    expect(await lastPosition(fresh.db)).toEqual(stood)
    expect(isBehind(await lastPosition(fresh.db), await deletedUpTo(fresh.db))).toBe(false)
  })
})

describe('a cursor', () => {
  const position = fc.record({
    xid: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    id: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
  })
  const feed = fc.stringMatching(/^[0-9a-f]{8}$/)

  it('names any position and is read back as the same', () => {
    fc.assert(
      fc.property(feed, position, (name, at) => {
        expect(parseCursor(name, cursorOf(name, at))).toEqual(at)
      }),
    )
  })

  it('of another feed is recognised', () => {
    fc.assert(
      fc.property(feed, feed, position, (name, other, at) => {
        fc.pre(name !== other)
        expect(parseCursor(name, cursorOf(other, at))).toBeNull()
      }),
    )
  })

  it('is undefined for any other text, and nothing makes it throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-f-]{8,30}$/)), (text) => {
        const parsed = parseCursor('0123abcd', text)
        if (parsed) expect(isBehind(beginning, parsed) || parsed.xid === 0n).toBe(true)
        else expect(parsed === undefined || /^[0-9a-f]{8}-/.test(text)).toBe(true)
      }),
    )
  })

  it('orders positions by transaction, then by row, as numbers', () => {
    fc.assert(
      fc.property(position, position, (one, other) => {
        const isLess = one.xid === other.xid ? one.id < other.id : one.xid < other.xid
        expect(isBehind(one, other)).toBe(isLess)
      }),
    )
  })
})

test('a feed keeps its name through restarts, and no two databases share one', async () => {
  const second = await freshDatabase()
  const again = openDatabase(fresh.address)
  const names = [await feedName(fresh.db), await feedName(again), await feedName(second.db)]
  await again.close()
  await second.drop()
  expect(names[0]).toMatch(/^[0-9a-f]{8}$/)
  expect(names[1]).toBe(names[0])
  expect(names[2]).not.toBe(names[0])
})
