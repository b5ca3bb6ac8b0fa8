/** The ledger of effects through the whole gateway: what a turn that is begun again does again, what not, and who is told. */
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { freshAddress } from '../../support/database.ts'
import { hang } from '../../support/model-endpoint.ts'
import { answer, ask, calls, makeAgent, textOf, toolResults } from '../turn/support/agents.ts'
import { changeSettings } from '../turn/support/parts.ts'
import { type Body, effectsServer, poll, type Supervised, supervised } from './support/supervised.ts'

let our: Supervised
const tools = ['http_request', 'time_now', 'read_result']
beforeAll(async () => {
  our = await supervised({ SERVICE_APPROVAL_TOOLS: '', SERVICE_AGENT_RESULT_CHARS: '500' })
  await makeAgent(our.service, 'default', { tools, approval_tools: ['read_result'] })
  await makeAgent(our.service, 'reader', { tools })
  await our.makeChannel('shop')
  await our.makeChannel('crowd', { answers: 'together' })
})
afterAll(() => our.stop())
afterEach(() => {
  our.effects.made.length = 0
  our.service.endpoint.requests.length = 0
})

const clock = { name: 'time_now', arguments: {}, id: 'clock' }
const wait = { name: 'read_result', arguments: { call_id: 'none' }, id: 'wait' }

/** A turn that has had an effect and the time told, and waits: its ledger can now be left as a crash leaves it. */
async function aside(channel: string, sender: string): Promise<{ conversation: string; turn: string; approval: Body }> {
  our.service.endpoint.script(calls(our.effect(`/${sender}`, 'effect'), clock, wait))
  const conversation = await our.say(channel, sender, `I am ${sender}`)
  const [approval] = await our.pending()
  await our.turns(conversation, ['waiting'])
  return { conversation, turn: approval.turn_id, approval }
}

async function cutShort(turn: string, tool: string): Promise<void> {
  await our.service.db.system`
    update turn_steps set status = 'started', result = null, duration_ms = null
    where turn_id = ${turn.slice('turn_'.length)}::uuid and name = ${tool}`
}

async function resume({ conversation, approval }: { conversation: string; approval: Body }, text: string) {
  our.service.endpoint.script(answer(text))
  await our.decide(approval.id, 'approve')
  await our.turns(conversation, ['completed'])
  return toolResults(our.service.endpoint.requests.at(-1))
}

test('a closed step is not repeated: no effect, no other call, no model call', async () => {
  const turn = await aside('shop', 'anna')
  const before = await our.times(turn.turn)
  const results = await resume(turn, 'Done.')
  expect(our.effects.made).toEqual(['/anna'])
  expect(our.service.endpoint.requests).toHaveLength(2)
  expect(results[0]).toContain('done')
  expect(results[1]).toMatch(/\d{4}/)
  expect((await our.times(turn.turn)).slice(0, before.length)).toEqual(before)
  expect(await our.said(turn.conversation)).toEqual(['I am anna', 'Done.'])
})

test('a repeatable call that was cut short is made again', async () => {
  const turn = await aside('shop', 'bert')
  await cutShort(turn.turn, 'time_now')
  expect((await resume(turn, 'Done.'))[1]).toMatch(/\d{4}/)
  expect(our.effects.made).toEqual(['/bert'])
})

test('a call that may be made only once and was cut short is not repeated: the model is told, and an operator records the outcome', async () => {
  const turn = await aside('shop', 'carla')
  const [, madeAt] = await our.times(turn.turn)
  await cutShort(turn.turn, 'http_request')
  const results = await resume(turn, 'I do not know whether it was ordered.')
  expect(our.effects.made).toEqual(['/carla'])
  expect(results[0]).toContain('whether the call took effect is not known')

  const unknown = async () =>
    ((await (await our.service.get('/v1/admin/turns/unknown-effects')).json()) as Body).items.filter(
      (item: Body) => item.turn_id === turn.turn,
    )
  const [item] = await unknown()
  expect(item).toMatchObject({ status: 'unknown', name: 'http_request', path: '', n: 1, error_code: 'unknown_effect' })
  expect(item.request.url).toContain('/carla')
  expect([item.started_at, item.duration_ms]).toEqual([madeAt?.toISOString(), null])
  const events = await our.service.db.system<{ payload: object }>`
    select payload from events where kind = 'step.unknown' and subject = ${turn.turn.slice('turn_'.length)}::uuid`
  expect(events).toMatchObject([{ payload: { turn_id: turn.turn, name: 'http_request', n: 1 } }])

  const settlement = { turn_id: turn.turn, n: 1, outcome: 'succeeded', note: 'seen in the shop' }
  expect((await our.service.post('/v1/admin/turns/unknown-effects/resolve', settlement)).status).toBe(200)
  expect(await unknown()).toEqual([])
  expect((await our.service.post('/v1/admin/turns/unknown-effects/resolve', settlement)).status).toBe(404)
  const audit = (await (await our.service.get('/v1/admin/audit?limit=3')).json()) as Body
  expect(audit.items[0]).toMatchObject({ action: 'effect.resolve', target: turn.turn })
})

test('a call that was cut short is unknown even if its tool is gone, not a call that was never made', async () => {
  await makeAgent(our.service, 'leaver', { tools, approval_tools: ['read_result'] })
  await our.makeChannel('leaving', { agent: 'leaver' })
  const turn = await aside('leaving', 'dora')
  await cutShort(turn.turn, 'http_request')
  await change('leaver', { tools: ['read_result'], approval_tools: ['read_result'] })
  const results = await resume(turn, 'Hm.')
  expect(results[0]).toContain('not known')
  expect(our.effects.made).toEqual(['/dora'])
})

test('a refusal holds even if the agent no longer needs an approval by then', async () => {
  await makeAgent(our.service, 'freed', { tools, approval_tools: ['http_request'] })
  await our.makeChannel('freedom', { agent: 'freed' })
  our.service.endpoint.script(calls(our.effect('/freed')))
  const conversation = await our.say('freedom', 'emma', 'Order it')
  const [approval] = await our.pending()
  await our.turns(conversation, ['waiting'])
  await change('freed', { tools })
  our.service.endpoint.script(answer('Not ordered.'))
  await our.decide(approval.id, 'refuse')
  await our.turns(conversation, ['completed'])
  expect(our.effects.made).toEqual([])
})

async function change(name: string, definition: object): Promise<void> {
  const { items } = (await (await our.service.get(`/v1/admin/agents?q=${name}`)).json()) as Body
  const { id, version } = items[0]
  const body = { agent_id: id, version, definition }
  expect((await our.service.post('/v1/admin/agents/update', body)).status).toBe(200)
}

test('a turn whose ledger does not match fails at once and frees its conversation', async () => {
  const turn = await aside('shop', 'fred')
  await our.service.db.system`
    update turn_steps set digest = gen_random_uuid()
    where turn_id = ${turn.turn.slice('turn_'.length)}::uuid and name = 'http_request'`
  await our.decide(turn.approval.id, 'approve')
  await our.turns(turn.conversation, ['failed'])
  const [failed] = await our.service.db.system<{ code: string; attempt: number }>`
    select error_code as code, attempt from turns where id = ${turn.turn.slice('turn_'.length)}::uuid`
  expect(failed).toEqual({ code: 'journal_mismatch', attempt: 1 })
  our.service.endpoint.script(answer('Here.'))
  await our.say('shop', 'fred', 'Are you there?')
  await our.turns(turn.conversation, ['failed', 'completed'])
  expect(our.effects.made).toEqual(['/fred'])
})

test('a sub-agent whose ledger does not match ends the turn too: its agent does not get it as a failed call', async () => {
  await makeAgent(our.service, 'helper', { tools, approval_tools: ['read_result'] })
  await makeAgent(our.service, 'head', { tools: [], sub_agents: ['helper'] })
  await our.makeChannel('delegating', { agent: 'head' })
  our.service.endpoint.script(
    calls({ name: 'delegate', arguments: { agent: 'helper', task: 'Order it' } }),
    calls(our.effect('/helped', 'effect'), wait),
  )
  const conversation = await our.say('delegating', 'hanna', 'Have it ordered')
  const [approval] = await our.pending()
  await our.turns(conversation, ['waiting'])
  await our.service.db.system`
    update turn_steps set digest = gen_random_uuid()
    where turn_id = ${approval.turn_id.slice('turn_'.length)}::uuid and name = 'http_request'`
  await our.decide(approval.id, 'approve')
  await our.turns(conversation, ['failed'])
  const [failed] = await our.service.db.system<{ code: string; attempt: number }>`
    select error_code as code, attempt from turns where id = ${approval.turn_id.slice('turn_'.length)}::uuid`
  expect(failed).toEqual({ code: 'journal_mismatch', attempt: 1 })
  expect(our.effects.made).toEqual(['/helped'])
})

test('a paused turn goes on with the strategy it began with, whatever the settings say by then', async () => {
  const turn = await aside('shop', 'iris')
  await changeSettings(our.service, { SERVICE_AGENT_BEST_OF_N: '2', SERVICE_AGENT_PLAN_STEPS: '2' })
  const results = await resume(turn, 'Done.')
  await changeSettings(our.service, { SERVICE_AGENT_BEST_OF_N: '', SERVICE_AGENT_PLAN_STEPS: '' })
  expect(results[0]).toContain('done')
  expect(our.service.endpoint.requests).toHaveLength(2)
  expect(our.effects.made).toEqual(['/iris'])
})

test('a turn that has begun is not merged with later messages, and those are answered together', async () => {
  const turn = await aside('crowd', 'gina')
  await our.say('crowd', 'gina', 'two')
  await our.say('crowd', 'gina', 'three')
  our.service.endpoint.script(answer('To the first.'), answer('To the others.'))
  await our.decide(turn.approval.id, 'approve')
  await our.turns(turn.conversation, ['completed', 'merged', 'completed'])
  expect(await our.said(turn.conversation)).toEqual(['I am gina', 'To the first.', 'two', 'three', 'To the others.'])
  expect(our.effects.made).toEqual(['/gina'])
})

test('a result that was cut can be read in full by the call’s id', async () => {
  our.effects.says = `${'a'.repeat(700)}the middle${'a'.repeat(700)}`
  our.service.endpoint.script(
    calls(our.effect('/long', 'long')),
    calls({ name: 'read_result', arguments: { call_id: 'long', offset: 600 } }),
    answer('Read.'),
  )
  expect(textOf(await ask(our.service, 'reader', 'Read it'))).toBe('Read.')
  our.effects.says = 'done'
  const [cut] = toolResults(our.service.endpoint.requests[1])
  expect(cut).not.toContain('the middle')
  expect(toolResults(our.service.endpoint.requests[2])[1]).toContain('the middle')
  expect(our.effects.made).toEqual(['/long'])
})

test('a turn that is cancelled during an effect reports its outcome as unknown, and logs no error', async () => {
  const ticket = ((await (await our.service.post('/v1/web/tickets', {})).json()) as Body).ticket
  const socket = new WebSocket(`${our.service.url.replace('http', 'ws')}/v1/web/ws?ticket=${ticket}`)
  const frames: Body[] = []
  socket.onmessage = ({ data }) => frames.push(JSON.parse(String(data)))
  await poll(async () => frames.some(({ kind }) => kind === 'ready'), Boolean)
  const release = our.effects.hold()
  our.service.lines.length = 0
  our.service.endpoint.script(calls(our.effect('/stopped')))
  socket.send(JSON.stringify({ type: 'send', text: 'Order it' }))
  await poll(async () => our.effects.made.length, Boolean)
  socket.send(JSON.stringify({ type: 'cancel' }))
  const unknown: Body = await poll(async () => frames.find(({ kind }) => kind === 'step.unknown'), Boolean)
  await our.turns(unknown.conversation_id, ['cancelled'])
  release()
  socket.close()
  expect(our.service.lines.filter(({ level }) => level >= 50)).toEqual([])
})

/** Two nodes on one database: the first is held in the middle of a call, and counts as dead. */
test('a node that takes over repeats no effect, and the earlier one neither answers nor goes on', async () => {
  const { address, drop } = await freshAddress()
  onTestFinished(drop)
  const effects = await effectsServer()
  onTestFinished(() => effects.close())
  const settings = { SERVICE_APPROVAL_TOOLS: '' }
  const first = await supervised(settings, { address, effects })
  onTestFinished(() => first.stop())
  await first.makeChannel('shop')
  const release = effects.hold()
  first.service.endpoint.script(calls(first.effect('/once')), answer('The first says: ordered.'))
  const conversation = await first.say('shop', 'anna', 'Order it')
  await poll(async () => effects.made.length, Boolean)

  const replaces = first.service.gateway.node
  const second = await supervised(settings, { address, effects, receiver: first.receiver, replaces })
  second.service.endpoint.always(answer('The second says: not known.'))
  onTestFinished(() => second.stop())
  await second.turns(conversation, ['completed'])
  await poll(async () => first.service.lines.filter(({ msg }) => msg?.includes('taken by others')).length, Boolean)
  release()
  await first.stop()
  expect(first.service.endpoint.requests).toHaveLength(1)
  expect(await second.said(conversation)).toEqual(['Order it', 'The second says: not known.'])
  expect(await second.calls()).toEqual(['http_request unknown'])
  expect(effects.made).toEqual(['/once'])
})

test('a stop of the service is no failure of a sub-agent: the next instance goes on inside it', async () => {
  const { address, drop } = await freshAddress()
  onTestFinished(drop)
  const settings = { SERVICE_DRAIN_TIMEOUT_S: '1' }
  const first = await supervised(settings, { address })
  onTestFinished(() => first.stop())
  await makeAgent(first.service, 'helper', { tools: ['time_now'] })
  await makeAgent(first.service, 'head', { tools: [], sub_agents: ['helper'] })
  await first.makeChannel('office', { agent: 'head' })
  first.service.endpoint.script(
    calls({ name: 'delegate', arguments: { agent: 'helper', task: 'Look' } }),
    calls(clock),
    hang,
  )
  const conversation = await first.say('office', 'anna', 'Have it looked up')
  await first.service.endpoint.until(() => first.service.endpoint.requests.length === 3)
  await first.service.stop()

  const second = await supervised(settings, { address, effects: first.effects, receiver: first.receiver })
  onTestFinished(() => second.stop())
  second.service.endpoint.script(answer('It is late.'), answer('Late, says the helper.'))
  await second.turns(conversation, ['completed'])
  expect(await second.said(conversation)).toEqual(['Have it looked up', 'Late, says the helper.'])
  expect(toolResults(second.service.endpoint.requests[1])).toEqual(['It is late.'])
})

/** In order: put aside, stopped, started, decided. */
test('a restart in between changes nothing: a paused call keeps waiting, is decided after the restart and made once', async () => {
  const { address, drop } = await freshAddress()
  onTestFinished(drop)
  const effects = await effectsServer()
  onTestFinished(() => effects.close())
  const first = await supervised({}, { address, effects })
  onTestFinished(() => first.stop())
  await first.makeChannel('shop')
  first.service.endpoint.script(calls(first.effect('/later')))
  const conversation = await first.say('shop', 'anna', 'Order it')
  const [approval] = await first.pending()
  await first.turns(conversation, ['waiting'])
  await first.say('shop', 'anna', 'And thanks')
  await first.service.stop()

  const second = await supervised({}, { address, effects, receiver: first.receiver })
  onTestFinished(() => second.stop())
  expect((await second.pending())[0]).toEqual(approval)
  await second.turns(conversation, ['waiting', 'queued'])
  second.service.endpoint.script(answer('Ordered.'), answer('You are welcome.'))
  await second.decide(approval.id, 'approve')
  await second.turns(conversation, ['completed', 'completed'])
  expect(await second.said(conversation)).toEqual(['Order it', 'Ordered.', 'And thanks', 'You are welcome.'])
  expect(effects.made).toEqual(['/later'])
})
