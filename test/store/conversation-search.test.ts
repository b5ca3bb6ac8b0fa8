/** The bounds of a search: where it stops, that it says so, and that going on from there finds the rest. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { searchConversations, searchLimits } from '../../store/conversations/search.ts'
import { type ConversationId, firstWorkspaceId, idFrom, uuidOf } from '../../store/id.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'

let fresh: FreshDatabase
const all = 1_000
const workspace = firstWorkspaceId
const still = () => 0

beforeAll(async () => {
  fresh = await freshDatabase()
  const own = uuidOf(workspace)
  await fresh.db.system`
    insert into conversations (id, workspace_id, title, last_seq)
    select lpad(n::text, 32, '0')::uuid, ${own}::uuid, 'talk ' || n, 3 from generate_series(1, ${all}::integer) as n`
  await fresh.db.system`
    insert into messages (conversation_id, seq, id, workspace_id, turn_id, role, body)
    select id, seq, gen_random_uuid(), ${own}::uuid, id, 'user', jsonb_build_object('content', 'message ' || seq)
    from conversations, generate_series(1, 3) as seq where right(id::text, 2) = '07'`
})
afterAll(() => fresh.drop())

const page = (before: ConversationId | null = null, limit = 50) => ({ before, offset: 0, limit })

test('a search reads a bounded number of conversations, reports how far it got, and goes on from there', async () => {
  const limits = { ...searchLimits, conversationsMax: 500 }
  const first = await searchConversations(fresh.db, workspace, { text: 'talk 7' }, page(null, 1_000), still, limits)
  // 1,000 down to 501: every 7xx.
  expect(first.conversations).toHaveLength(100)
  expect(uuidOf(first.scannedUpTo as ConversationId)).toBe('501'.padStart(32, '0'))
  const rest = await searchConversations(
    fresh.db,
    workspace,
    { text: 'talk 7' },
    page(first.scannedUpTo, 1_000),
    still,
    limits,
  )
  expect(rest.conversations.map(({ title }) => title)).toContain('talk 7')
  // 7, 70 to 79.
  expect(rest.conversations).toHaveLength(11)
  const end = await searchConversations(fresh.db, workspace, { text: 'x' }, page(rest.scannedUpTo), still, limits)
  expect(end.scannedUpTo).toBeNull()
})

test('a search whose time is over stops after its present step', async () => {
  let now = 0
  const clock = () => (now += 1_500)
  const found = await searchConversations(fresh.db, workspace, { text: 'nowhere' }, page(), clock)
  expect(uuidOf(found.scannedUpTo as ConversationId)).toBe('751'.padStart(32, '0'))
})

test('a full page ends a search at its last match', async () => {
  const found = await searchConversations(fresh.db, workspace, { text: 'talk' }, page(null, 3), still)
  expect(found.conversations.map(({ title }) => title)).toEqual(['talk 1000', 'talk 999', 'talk 998'])
  expect(found.scannedUpTo).toBe(found.conversations.at(-1)?.id)
})

test('only the newest messages of each conversation are searched, and none that is too long', async () => {
  const search = (text: string, limits: Partial<typeof searchLimits> = {}) =>
    searchConversations(fresh.db, workspace, { text }, page(), still, { ...searchLimits, ...limits })
  expect((await search('message 1')).conversations.length).toBeGreaterThan(0)
  expect((await search('message 1', { messagesMax: 2 })).conversations).toEqual([])
  expect((await search('message 2', { messagesMax: 2 })).conversations.length).toBeGreaterThan(0)
  expect((await search('message 2', { messageBytesMax: 10 })).conversations).toEqual([])
})

test('a search in an empty workspace finds nothing', async () => {
  const other = idFrom('ws', 'f'.repeat(32))
  expect(await searchConversations(fresh.db, other, { text: 'talk' }, page(), still)).toEqual({
    conversations: [],
    matches: 0,
    scannedUpTo: null,
  })
})
