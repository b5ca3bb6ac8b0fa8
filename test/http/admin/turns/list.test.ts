/** Turns of all conversations, page by page; one read alone, one cancelled; many conversations put in order at once. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { firstWorkspaceId, newTurnId, uuidOf } from '../../../../store/id.ts'
import { pageOfTurns } from '../../../../store/turns/list.ts'
import { until } from '../../../support/gateway.ts'
import { hang } from '../../../support/model-endpoint.ts'
import { leastOf, processorMs } from '../../../support/processor-ms.ts'
import { type Body, type Talk, talk } from '../conversations/support/talk.ts'

let our: Talk
beforeAll(async () => {
  our = await talk()
})
afterAll(() => our.stop())

it('turns come newest first, page by page, and a filter finds its own', async () => {
  const one = await our.say(['a', 'b', 'c'])
  const other = await our.say(['d'])
  const first = await our.get('turns?limit=3')
  expect(first.body.items.map((turn: Body) => turn.conversation_id)).toEqual([other, one, one])
  const second = await our.get(`turns?limit=3&cursor=${first.body.next_cursor}`)
  expect(second.body).toMatchObject({ items: [{ conversation_id: one, status: 'completed' }], next_cursor: null })
  const own = await our.get(`turns?conversation_id=${other}`)
  expect(own.body.items).toHaveLength(1)
  expect((await our.get(`turns?model=${own.body.items[0].model}`)).body.items).toHaveLength(4)
  expect((await our.get('turns?status=failed')).body).toEqual({ items: [], next_cursor: null })
  expect((await our.get('turns?agent=nobody')).body.items).toEqual([])
  expect((await our.get('turns?until=2001-01-01T00:00:00Z')).body.items).toEqual([])
  expect((await our.get('turns?since=2002-01-01T00:00:00Z&until=2001-01-01T00:00:00Z')).status).toBe(400)
})

it('turns show the beginning of what was asked and answered, of the chat API and of the queue', async () => {
  const conversation = await our.say(['What is it?', 'And now?'])
  const { turn_id: posted } = (await our.post('post', { conversation_id: conversation, text: 'From an operator' })).body
  await until(async () => (await our.get(`turns/${posted}`)).body.status === 'completed')
  const { items } = (await our.get(`turns?conversation_id=${conversation}`)).body
  expect(items.map(({ input, output }: Body) => [input, output])).toEqual([
    ['From an operator', 're: From an operator'],
    ['And now?', 're: And now?'],
    ['What is it?', 're: What is it?'],
  ])
  expect((await our.get(`turns/${posted}`)).body).toMatchObject({ input: 'From an operator' })
})

it('turns are counted by what they can be narrowed to, each facet without its own filter', async () => {
  const conversation = await our.say(['one', 'two'])
  await our.service.db.system`
    update turns set status = 'failed', error_code = 'made_up', model = 'odd' where id = (
      select id from turns where conversation_id = ${uuidOf(conversation)} order by id limit 1)`
  const facets = async (query: string) => (await our.get(`turns/facets?conversation_id=${conversation}${query}`)).body
  const all = await facets('')
  expect(all).toMatchObject({ total: 2, is_estimate: false, agent: [], origin: [{ value: 'call', count: 2 }] })
  expect(all.status).toEqual([
    { value: 'completed', count: 1 },
    { value: 'failed', count: 1 },
  ])
  expect(all.error).toEqual([{ value: 'made_up', count: 1 }])
  const failed = await facets('&status=failed')
  expect(failed).toMatchObject({ total: 1, model: [{ value: 'odd', count: 1 }], status: all.status })
  expect(await facets('&error=made_up&model=odd')).toMatchObject({ total: 1 })
  expect((await our.get(`turns?conversation_id=${conversation}&error=made_up&origin=call`)).body.items).toHaveLength(1)
  expect((await our.get('turns/facets', our.stranger)).body).toMatchObject({ total: 0, status: [] })
  expect((await our.get('turns/facets?since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z')).status).toBe(400)
  await our.service.db.system`update turns set status = 'completed', error_code = null where error_code = 'made_up'`
})

it('turns come with the most of a figure first, page by page, those without it last, and a cursor keeps its order', async () => {
  const { system } = our.service.db
  const conversation = await our.say(['p', 'q', 'r', 's'])
  const ids: string[] = (await our.get(`turns?conversation_id=${conversation}`)).body.items.map((turn: Body) => turn.id)
  const figures = [
    { ms: 20, tokens: 30, cost: 5 },
    { ms: null, tokens: 10, cost: null },
    { ms: 40, tokens: 20, cost: 5 },
    { ms: 30, tokens: 40, cost: 7 },
  ]
  for (const [at, { ms, tokens, cost }] of figures.entries())
    await system`
      update turns set duration_ms = ${ms}::real, time_to_first_token_ms = ${ms}::real, prompt_tokens = ${tokens}::integer,
        completion_tokens = 1, cost_micro = ${cost}::bigint, currency = 'USD' where id = ${(ids[at] ?? '').slice(5)}::uuid`
  const listed = async (order: string) => {
    const seen: number[] = []
    for (let cursor = ''; ; ) {
      const { body } = await our.get(`turns?conversation_id=${conversation}&order=${order}&limit=1${cursor}`)
      seen.push(...body.items.map((turn: Body) => ids.indexOf(turn.id)))
      if (body.next_cursor === null) return seen
      cursor = `&cursor=${body.next_cursor}`
    }
  }
  expect(await listed('duration')).toEqual([2, 3, 0, 1])
  expect(await listed('first_token')).toEqual([2, 3, 0, 1])
  expect(await listed('tokens')).toEqual([3, 0, 2, 1])
  // Of two that cost the same the newer one comes first.
  expect(await listed('cost')).toEqual([3, 0, 2, 1])
  expect((await our.get(`turns?order=cost&status=failed&conversation_id=${conversation}`)).body.items).toEqual([])
  const [{ api_key: key, channel }] = (await our.get(`turns?conversation_id=${conversation}`)).body.items
  expect(key).toMatchObject({ id: expect.stringMatching(/^key_/), name: expect.any(String) })
  expect(channel).toBeNull()
  const { next_cursor: other } = (await our.get(`turns?conversation_id=${conversation}&order=cost&limit=1`)).body
  for (const wrong of [`order=tokens&cursor=${other}`, `cursor=${other}`, `order=cost&cursor=${'_'.repeat(34)}`])
    expect((await our.get(`turns?${wrong}`)).status, wrong).toBe(400)
  expect((await our.get(`turns?order=cost&cursor=${ids[0]}`)).body.error.param).toBe('cursor')
  expect((await our.get('turns?order=cost&request_id=r')).body.error.param).toBe('order')
  expect((await our.get('turns?order=status')).status).toBe(400)
})

it('a filter that finds little looks on behind its steps, and says where it stopped', async () => {
  const { db } = our.service
  const all = await pageOfTurns(db, firstWorkspaceId, {}, { before: null, limit: 200 })
  const steps = { stepTurns: 1, turnsMax: 100 }
  const page = { before: null, limit: 200 }
  expect(await pageOfTurns(db, firstWorkspaceId, {}, page, steps)).toEqual(all)
  const short = await pageOfTurns(db, firstWorkspaceId, { status: 'failed' }, page, { stepTurns: 1, turnsMax: 2 })
  expect(short).toEqual({ turns: [], next: all.turns[1]?.id })
})

it('a turn that was paused for a day is found by the time at which it started again, once on all pages', async () => {
  const { system } = our.service.db
  const conversation = await our.say(['before the pause'])
  const [{ id: resumed }] = (await our.get(`turns?conversation_id=${conversation}`)).body.items
  const since = new Date(Date.now() - 60_000).toISOString()
  const dayOld = `turn_${(Date.now() - 86_400_000).toString(16).padStart(12, '0')}${resumed.slice(-20)}`
  await system`update turns set id = ${dayOld.slice(5)}::uuid where id = ${resumed.slice(5)}::uuid`
  const seen: string[] = []
  for (let cursor = ''; ; ) {
    const { items, next_cursor: next } = (await our.get(`turns?since=${since}&limit=1${cursor}`)).body
    seen.push(...items.map((turn: Body) => turn.id))
    if (next === null) break
    cursor = `&cursor=${next}`
  }
  expect(seen.filter((id) => id === dayOld)).toHaveLength(1)
  expect(new Set(seen).size).toBe(seen.length)
  const recent = (await our.get(`conversations/turns?conversation_id=${conversation}&since=${since}`)).body.turns
  expect(recent).toMatchObject([{ id: dayOld }])
})

it('one turn is read alone, but not from another workspace', async () => {
  const [turn] = (await our.get('turns?limit=1')).body.items
  expect((await our.get(`turns/${turn.id}`)).body).toEqual(turn)
  expect((await our.get(`turns/${turn.id}`, our.stranger)).status).toBe(404)
  expect((await our.get(`turns/${newTurnId()}`)).status).toBe(404)
})

it('one conversation is read alone, but not from another workspace', async () => {
  const [known] = (await our.get('conversations?limit=1')).body.conversations
  expect((await our.get(`conversations/${known.id}`)).body).toEqual(known)
  expect((await our.get(`conversations/${known.id}`, our.stranger)).status).toBe(404)
})

it('a running turn is cancelled and its model call ended; one that has ended is not', async () => {
  const conversation = await our.say(['begin'])
  our.service.endpoint.script(hang)
  const { aborted } = { aborted: our.service.endpoint.abortedCalls }
  const posted = await our.post('post', { conversation_id: conversation, text: 'go on' })
  const turnId = posted.body.turn_id
  await our.service.endpoint.until(() => our.service.endpoint.openCalls === 1)
  const cancel = (key?: string) =>
    our.service.post('/v1/admin/turns/cancel', { turn_id: turnId }, key ? { authorization: `Bearer ${key}` } : {})
  expect((await cancel(our.stranger)).status).toBe(404)
  expect((await cancel(our.reader)).status).toBe(403)
  expect((await cancel()).status).toBe(200)
  await our.service.endpoint.until(() => our.service.endpoint.abortedCalls > aborted)
  await until(async () => (await our.get(`turns/${turnId}`)).body.status === 'cancelled')
  expect(await our.lastAudit()).toMatchObject({ action: 'turn.cancel', target: turnId })
  expect((await cancel()).status).toBe(409)
})

it('many conversations are counted first, then put in order, each once', async () => {
  const ids = [await our.say(['x']), await our.say(['y']), await our.say(['z'])]
  const order = { folder: 'bulk', add_tags: ['t'] }
  const picked = { conversation_ids: ids.slice(0, 2), ...order }
  const counted = await our.post('organize-many', picked)
  expect(counted.body).toMatchObject({ count: 2, changed: 0 })
  expect((await our.get('conversations?folder=bulk')).body.total).toBe(0)
  const done = await our.post('organize-many', { ...picked, as_of: counted.body.as_of })
  expect(done.body).toMatchObject({ changed: 2, has_more: false })
  expect((await our.post('organize-many', picked)).body).toMatchObject({ count: 0 })
  const filtered = { filter: { folder: 'bulk' }, folder: null, remove_tags: ['t'], add_tags: ['u'] }
  const { as_of } = (await our.post('organize-many', filtered)).body
  await our.post('organize-many', { ...filtered, as_of })
  const shown = (await our.get('conversations?tag=u')).body.conversations
  expect(shown).toHaveLength(2)
  expect(shown[0]).toMatchObject({ folder: null, tags: ['u'] })
  expect((await our.post('organize-many', { ...picked, filter: {} })).status).toBe(400)
  expect((await our.post('organize-many', { filter: {} })).status).toBe(400)
  expect((await our.post('organize-many', picked, our.stranger)).body.count).toBe(0)
})

it('a tag that is given twice is put on once, and nothing is put in order of a time to come', async () => {
  const id = await our.say(['twice'])
  const order = { conversation_ids: [id], add_tags: ['same', ' same'] }
  const ahead = await our.post('organize-many', { ...order, as_of: new Date(Date.now() + 60_000).toISOString() })
  expect([ahead.status, ahead.body.error.param]).toEqual([400, 'as_of'])
  const { as_of } = (await our.post('organize-many', order)).body
  expect((await our.post('organize-many', { ...order, as_of })).body.changed).toBe(1)
  expect((await our.get(`conversations/${id}`)).body.tags).toEqual(['same'])
})

it('at a hundred thousand turns a page takes little work, also one that finds nothing', async () => {
  const { system } = our.service.db
  await system`
    insert into turns (id, workspace_id, conversation_id, request_id, epoch, status, model, is_stream, started_at)
    select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || right(md5(n::text), 19))::uuid,
      ${uuidOf(firstWorkspaceId)}::uuid, gen_random_uuid(), 'r', 1, 'completed', 'm', true, at
    from (select n, now() - interval '1 day' - n * interval '1 minute' as at from generate_series(1, 100000) as n) as made`
  for (const query of [
    'limit=50',
    'status=interrupted',
    'agent=nobody',
    'order=cost',
    `since=${new Date().toISOString()}`,
  ]) {
    const read = async () => expect((await our.get(`turns?${query}`)).status).toBe(200)
    const ms = await leastOf(2, () => processorMs(read, our.service.db))
    console.info(`turns?${query.slice(0, 20)}: ${ms.toFixed(0)} ms of 100,000`)
    expect(ms, query).toBeLessThan(1_000)
  }
})
