/** At a hundred thousand conversations lists, searches and the overview still take little work. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { firstWorkspaceId, uuidOf } from '../../../../store/id.ts'
import { leastOf, processorMs } from '../../../support/processor-ms.ts'
import { type Talk, talk } from './support/talk.ts'

const conversations = 100_000
let our: Talk
beforeAll(async () => {
  our = await talk()
  const { system } = our.service.db
  const own = uuidOf(firstWorkspaceId)
  // Ids as ours are: the time in milliseconds first, here one a minute up to now.
  await system`
    insert into conversations (id, workspace_id, title, last_seq, created_at, folder, tags)
    select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || right(md5(n::text), 19))::uuid,
      ${own}::uuid, 'talk ' || n, 2, at, case when n % 1000 = 0 then 'rare' end,
      case when n % 1000 = 0 then array['seldom'] else '{}' end
    from (select n, now() - (${conversations}::integer - n) * interval '1 minute' as at
      from generate_series(1, ${conversations}::integer) as n) as made`
  await system`
    insert into messages (conversation_id, seq, id, workspace_id, turn_id, role, body)
    select id, seq, gen_random_uuid(), workspace_id, id, case seq when 1 then 'user' else 'assistant' end,
      jsonb_build_object('role', 'user', 'content', repeat(md5(title), 10) || ' said in ' || title || '.')
    from conversations, generate_series(1, 2) as seq`
  await system`
    insert into turns (id, workspace_id, conversation_id, request_id, epoch, status, model, is_stream, started_at)
    select id, workspace_id, id, 'r', 1, 'completed', 'm', true, created_at from conversations`
})
afterAll(() => our.stop())

// biome-ignore lint/suspicious/noExplicitAny: answers whose schema the route has checked
async function timed(path: string): Promise<{ ms: number; body: any }> {
  // biome-ignore lint/suspicious/noExplicitAny: see above
  let body: any
  const read = async () => {
    const answer = await our.get(path)
    expect(answer.status).toBe(200)
    body = answer.body
  }
  // The better of two: the first plans and reads from the disk.
  const ms = await leastOf(2, () => processorMs(read, our.service.db))
  return { ms, body }
}

it('pages at the beginning, in the middle and at the end', async () => {
  const first = await timed('conversations?limit=50')
  expect(first.body.conversations).toHaveLength(50)
  expect(first.body).toMatchObject({ total: 10_000, total_is_estimate: true })
  expect(first.body.conversations[0].title).toBe(`talk ${conversations}`)
  const next = await timed(`conversations?limit=50&cursor=${first.body.next_cursor}`)
  expect(next.body.conversations[0].title).toBe(`talk ${conversations - 50}`)
  const last = await timed(`conversations?limit=50&offset=${conversations - 50}`)
  expect(last.body.conversations.at(-1).title).toBe('talk 1')
  expect(last.body.next_cursor).toBeNull()
  for (const { ms } of [first, next, last]) expect(ms).toBeLessThan(500)
})

it('filters that few or none match', async () => {
  for (const filter of ['tag=seldom', 'folder=rare']) {
    const { ms, body } = await timed(`conversations?limit=100&${filter}`)
    expect(body).toMatchObject({ total: 100, total_is_estimate: false, next_cursor: null })
    expect(ms, filter).toBeLessThan(500)
  }
  for (const filter of ['tag=none', 'folder=none', 'channel=none', 'until=2001-01-01T00:00:00Z']) {
    const { ms, body } = await timed(`conversations?${filter}`)
    expect(body).toMatchObject({ conversations: [], total: 0, next_cursor: null })
    expect(ms, filter).toBeLessThan(500)
  }
})

it('a search that finds its page, and one that finds nothing and says where to go on', async () => {
  const found = await timed('conversations?limit=5&text=said%20in%20talk%2099')
  expect(found.body.conversations).toHaveLength(5)
  expect(found.ms).toBeLessThan(500)
  const nothing = await timed('conversations?text=nowhere')
  expect(nothing.body.conversations).toEqual([])
  expect(nothing.body.next_cursor).toMatch(/^.{22}$/)
  expect(nothing.body.total_is_estimate).toBe(true)
  expect(nothing.ms).toBeLessThan(2_000)
})

it('the overview and the turns', async () => {
  const overview = await timed('overview')
  expect(overview.body).toMatchObject({ counts: { conversations: 50_000 }, at_least: ['conversations', 'messages'] })
  expect(overview.ms).toBeLessThan(500)
  const turns = await timed('conversations/turns?status=failed')
  expect(turns.body.turns).toEqual([])
  expect(turns.ms).toBeLessThan(500)
})
