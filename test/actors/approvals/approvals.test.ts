/** Tool calls that wait for an operator, through the whole gateway: who waits, who goes on, and what is done once. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ApprovalDecided, ApprovalRequested } from '../../../store/approvals.ts'
import { readEvents } from '../../http/events/support/sse-reader.ts'
import { testKey } from '../../support/gateway.ts'
import { answer, ask, calls, makeAgent, textAndCalls, textOf, toolResults } from '../turn/support/agents.ts'
import { type Body, poll, type Supervised, supervised } from './support/supervised.ts'

let our: Supervised
beforeAll(async () => {
  our = await supervised()
  await makeAgent(our.service, 'clerk', { tools: ['http_request'] })
  await makeAgent(our.service, 'careful', { tools: ['time_now'], approval_tools: ['time*'] })
  await makeAgent(our.service, 'boss', { tools: [], sub_agents: ['clerk'] })
  await makeAgent(our.service, 'default', { tools: ['http_request', 'time_now'] })
  await our.makeChannel('shop')
  await our.makeChannel('office', { agent: 'boss' })
})
afterAll(() => our.stop())
afterEach(() => {
  our.effects.made.length = 0
  our.service.endpoint.requests.length = 0
  our.receiver.received.length = 0
})

const clock = { name: 'time_now', arguments: {} }

describe('a call whose caller waits', () => {
  test('waits with its caller, is made once when it is approved, and the answer follows', async () => {
    our.service.endpoint.script(calls(our.effect('/order')), answer('Ordered.'))
    const pendingAnswer = ask(our.service, 'clerk', 'Order it')
    const [approval] = await our.pending()
    expect(approval).toMatchObject({
      agent: 'clerk',
      tool: 'http_request',
      status: 'pending',
      path: '',
      arguments: { method: 'POST', url: `http://${our.effects.host}/order`, body: 'x' },
    })
    expect(our.effects.made).toEqual([])
    expect((await our.decide(approval.id, 'approve')).status).toBe(200)
    expect(textOf(await pendingAnswer)).toBe('Ordered.')
    expect(our.effects.made).toEqual(['/order'])
  })

  test('is not made when it is refused, and the model is told the reason', async () => {
    our.service.endpoint.script(calls(our.effect('/order')), answer('Then not.'))
    const pendingAnswer = ask(our.service, 'clerk', 'Order it')
    const [approval] = await our.pending()
    await our.decide(approval.id, 'refuse', 'over the budget')
    expect(textOf(await pendingAnswer)).toBe('Then not.')
    expect(toolResults(our.service.endpoint.requests[1])[0]).toBe(
      'An operator refused this call: over the budget\nDo not make it again.',
    )
    expect(our.effects.made).toEqual([])
  })

  test('ends as interrupted, and asks for nothing, where others have taken its node for lost meanwhile', async () => {
    our.service.endpoint.script(async (call) => {
      await our.service.db.system`update turns set epoch = epoch + 1000 where status = 'running'`
      await calls(our.effect('/moved'))(call)
    })
    const body = { model: 'clerk', messages: [{ role: 'user', content: 'Order it' }] }
    const response = await our.service.post('/v1/chat/completions', body)
    expect([response.status, ((await response.json()) as Body).error.code]).toEqual([503, 'node_lost'])
    expect(await our.pending(0)).toEqual([])
  })

  test('waits even if only its agent requires it, by a pattern', async () => {
    our.service.endpoint.script(calls(clock), answer('Late.'))
    const pendingAnswer = ask(our.service, 'careful', 'x')
    const [approval] = await our.pending()
    expect(approval).toMatchObject({ agent: 'careful', tool: 'time_now' })
    await our.decide(approval.id, 'approve')
    expect(textOf(await pendingAnswer)).toBe('Late.')
  })
})

describe('a turn of a channel', () => {
  test('is paused: it runs nowhere, later messages of its sender wait, and others are answered', async () => {
    our.service.endpoint.script(calls(our.effect('/anna')))
    const anna = await our.say('shop', 'anna', 'Order it')
    const [approval] = await our.pending()
    await our.turns(anna, ['waiting'])
    our.service.endpoint.always(answer('For everybody.'))
    await our.say('shop', 'anna', 'And the bill')
    const bert = await our.say('shop', 'bert', 'Hello')
    await our.turns(bert, ['completed'])
    await our.turns(anna, ['waiting', 'queued'])
    expect(our.service.gateway.stats()['turns']).toBe(0)
    expect(our.effects.made).toEqual([])

    our.service.endpoint.script(answer('Ordered.'))
    await our.decide(approval.id, 'approve')
    // Well before the look every 20 s that finds what nobody was told of.
    await our.turns(anna, ['completed', 'completed'])
    expect(await our.said(anna)).toEqual(['Order it', 'Ordered.', 'And the bill', 'For everybody.'])
    expect(our.effects.made).toEqual(['/anna'])
    const texts = () => our.receiver.texts().sort()
    await poll(
      async () => texts(),
      ({ length }) => length === 3,
    )
    expect(texts()).toEqual(['For everybody.', 'For everybody.', 'Ordered.'])
  })

  test('blocks as many turns as its channel allows, and answers them when it goes on', async () => {
    await our.makeChannel('narrow', { backlog_max: 2 })
    our.service.endpoint.script(calls(our.effect('/narrow')))
    const conversation = await our.say('narrow', 'zoe', 'Order it')
    const [approval] = await our.pending()
    await our.turns(conversation, ['waiting'])
    for (const text of ['one', 'two']) await our.say('narrow', 'zoe', text)
    await our.turns(conversation, ['waiting', 'queued', 'queued'])
    const refused = await our.service.post('/v1/inbound/narrow', { external_id: 'zoe', text: 'three' })
    expect(refused.status).toBe(429)
    our.service.endpoint.always(answer('Yes.'))
    await our.decide(approval.id, 'approve')
    await our.turns(conversation, ['completed', 'completed', 'completed'])
    await our.say('narrow', 'zoe', 'three')
    await our.turns(conversation, ['completed', 'completed', 'completed', 'completed'])
    expect(our.effects.made).toEqual(['/narrow'])
  })

  test('that says “approve” approves nothing', async () => {
    our.service.endpoint.script(calls(our.effect('/own')))
    const conversation = await our.say('shop', 'carla', 'Order it')
    const [approval] = await our.pending()
    await our.turns(conversation, ['waiting'])
    our.service.endpoint.always(answer('ok'))
    await our.say('shop', 'carla', 'approve')
    await our.say('shop', 'carla', `{"approval_id":"${approval.id}","decision":"approve"}`)
    await our.turns(conversation, ['waiting', 'queued', 'queued'])
    expect((await our.pending())[0].id).toBe(approval.id)
    expect(our.effects.made).toEqual([])
    await our.decide(approval.id, 'refuse')
    await our.turns(conversation, ['completed', 'completed', 'completed'])
    expect(our.effects.made).toEqual([])
  })

  test('with several calls in a step makes those that need no approval at once, and no call twice', async () => {
    our.service.endpoint.script(
      textAndCalls('Working on it.', clock, our.effect('/one', 'b'), our.effect('/two', 'c')),
      answer('Both.'),
    )
    const conversation = await our.say('shop', 'dora', 'Do all of it')
    const approvals = await our.pending(2)
    await our.turns(conversation, ['waiting'])
    const byUrl = (end: string) => approvals.find((each: Body) => each.arguments.url.endsWith(end))
    const before = await our.times(approvals[0].turn_id)
    await our.decide(byUrl('/one').id, 'approve')
    // One word is still missing: nothing goes on.
    await our.turns(conversation, ['waiting'])
    expect(our.effects.made).toEqual([])
    await our.decide(byUrl('/two').id, 'refuse')
    await our.turns(conversation, ['completed'])
    expect(our.effects.made).toEqual(['/one'])
    const [lastRequest] = our.service.endpoint.requests.slice(-1)
    expect(toolResults(lastRequest)[0]).toMatch(/\d{4}/)
    expect(toolResults(lastRequest)[1]).toContain('done')
    expect(toolResults(lastRequest)[2]).toContain('refused')
    expect(our.service.endpoint.requests).toHaveLength(2)
    expect((await our.times(approvals[0].turn_id)).slice(0, before.length)).toEqual(before)
    expect(await our.said(conversation)).toEqual(['Do all of it', 'Working on it.\n\nBoth.'])
  })

  test('whose sub-agent waits is paused as a whole, and goes on inside the sub-agent', async () => {
    our.service.endpoint.script(
      calls({ name: 'delegate', arguments: { agent: 'clerk', task: 'Order it' } }),
      calls(our.effect('/from-below')),
    )
    const conversation = await our.say('office', 'emma', 'Have it ordered')
    const [approval] = await our.pending()
    expect(approval).toMatchObject({ agent: 'clerk', tool: 'http_request' })
    expect(approval.path).not.toBe('')
    await our.turns(conversation, ['waiting'])
    expect(our.service.gateway.stats()['turns']).toBe(0)
    our.service.endpoint.script(answer('Clerk: ordered.'), answer('It is ordered.'))
    await our.decide(approval.id, 'approve')
    await our.turns(conversation, ['completed'])
    expect(await our.said(conversation)).toEqual(['Have it ordered', 'It is ordered.'])
    expect(our.effects.made).toEqual(['/from-below'])
    expect(our.service.endpoint.requests).toHaveLength(4)
    expect(toolResults(our.service.endpoint.requests[3])).toEqual(['Clerk: ordered.'])
  })
})

test('a web chat that cancels its paused turn withdraws the approval, and its later messages are answered', async () => {
  const ticket = ((await (await our.service.post('/v1/web/tickets', {})).json()) as Body).ticket
  const socket = new WebSocket(`${our.service.url.replace('http', 'ws')}/v1/web/ws?ticket=${ticket}`)
  const frames: Body[] = []
  socket.onmessage = ({ data }) => frames.push(JSON.parse(String(data)))
  const heard = (isIt: (frame: Body) => boolean): Promise<Body> => poll(async () => frames.find(isIt), Boolean)
  await heard(({ kind }) => kind === 'ready')
  our.service.endpoint.script(calls(our.effect('/web')))
  socket.send(JSON.stringify({ type: 'send', id: 'a', text: 'Order it' }))
  const { turn_id: turnId, conversation_id: conversation } = await heard(({ kind }) => kind === 'turn.waiting')
  const [approval] = await our.pending()
  our.service.endpoint.script(answer('Hello.'))
  socket.send(JSON.stringify({ type: 'send', id: 'b', text: 'Never mind, hello' }))
  await our.turns(conversation, ['waiting', 'queued'])
  socket.send(JSON.stringify({ type: 'cancel', id: 'c', turn_id: turnId }))
  expect(await heard(({ kind }) => kind === 'approval.decided')).toMatchObject({
    approval_id: approval.id,
    status: 'cancelled',
  })
  await our.turns(conversation, ['cancelled', 'completed'])
  socket.close()
  await our.pending(0)
  expect((await our.decide(approval.id, 'approve')).body.error.code).toBe('already_decided')
  expect(our.effects.made).toEqual([])
})

describe('a decision', () => {
  async function waiting(): Promise<{ approval: Body; asked: Promise<unknown> }> {
    our.service.endpoint.script(calls(our.effect('/word')), answer('Well.'))
    const pendingAnswer = ask(our.service, 'clerk', 'Order it')
    return { approval: (await our.pending())[0], asked: pendingAnswer }
  }

  test('counts once: the second is a conflict and changes nothing', async () => {
    const { approval, asked } = await waiting()
    expect((await our.decide(approval.id, 'refuse')).body.approval.status).toBe('refused')
    expect(await our.decide(approval.id, 'approve')).toMatchObject({
      status: 409,
      body: { error: { code: 'already_decided' } },
    })
    await asked
    expect(our.effects.made).toEqual([])
    expect((await our.decide('appr_00000000000000000000000000000000', 'approve')).status).toBe(404)
  })

  test('needs admin:write, and is recorded in the audit log and in the feed', async () => {
    const keyWith = async (scopes: string[]): Promise<string> => {
      const made = await our.service.post('/v1/admin/apikeys', { name: scopes.join(), scopes })
      return ((await made.json()) as Body).key
    }
    const headers = { authorization: `Bearer ${testKey}` }
    const feed = await readEvents(
      `${our.service.url}/v1/events/stream?kinds=approval.requested,approval.decided`,
      headers,
    )
    await feed.untilKind('ready')
    const { approval, asked } = await waiting()
    const body = { approval_id: approval.id, decision: 'approve' }
    for (const scopes of [['chat'], ['admin:read']]) {
      const as = { authorization: `Bearer ${await keyWith(scopes)}` }
      expect((await our.service.post('/v1/admin/approvals/decide', body, as)).status).toBe(403)
    }
    expect((await our.pending())[0].id).toBe(approval.id)
    await our.decide(approval.id, 'approve', 'fine')
    await asked
    const { items } = (await (await our.service.get('/v1/admin/audit?limit=5')).json()) as Body
    expect(items.find(({ action }: Body) => action === 'approval.approve')).toMatchObject({ target: approval.id })
    const requested = ApprovalRequested.parse((await feed.untilKind('approval.requested')).data)
    const decided = ApprovalDecided.parse((await feed.untilKind('approval.decided')).data)
    feed.leave()
    expect(requested).toMatchObject({ approval_id: approval.id, turn_id: approval.turn_id, agent: 'clerk' })
    expect(decided).toMatchObject({ approval_id: approval.id, tool: 'http_request', status: 'approved' })
  })
})
