/** Turns that wait in the queue: tried again where that can help, given up where it cannot, and nobody's neighbour suffers. */
import { expect, test } from 'vitest'
import { ModelError } from '../../../models/errors.ts'
import type { ModelRequest, ModelTransport } from '../../../models/transport.ts'
import type { ConversationId } from '../../../store/id.ts'
import { uuidOf } from '../../../store/id.ts'
import { type OpenChannels, ofItsOwn, openChannels } from '../channel/support/open-channels.ts'

/** Says "re: …", unless `fate` throws first. */
function model(fate: (text: string, request: ModelRequest) => void): ModelTransport & { asked: string[] } {
  const prompts: string[] = []
  return {
    name: 'of the test',
    asked: prompts,
    async complete() {
      throw new Error('nobody asks for a whole answer here')
    },
    stream(request, sink) {
      const text = String(request.messages.at(-1)?.content)
      prompts.push(text)
      fate(text, request)
      sink.delta({ kind: 'text', choice: 0, text: `re: ${text}` })
      sink.delta({ kind: 'finish', choice: 0, finishReason: 'stop' })
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
      return { done: Promise.resolve({ model: 'm', usage, isUsageEstimated: false, extra: {} }), resume() {} }
    },
    async close() {},
  }
}

async function stored(
  { db }: OpenChannels,
  conversation: ConversationId,
): Promise<{ texts: string[]; turns: string[] }> {
  const texts = await db.system<{ text: string }>`
    select body ->> 'content' as text from messages where conversation_id = ${uuidOf(conversation)}
    order by coalesce(turn_seq, seq), seq`
  const turns = await db.system<{ turn: string }>`
    select concat_ws(' ', status, attempt, error_code) as turn from turns where conversation_id = ${uuidOf(conversation)} order by seq`
  return { texts: texts.map(({ text }) => text), turns: turns.map(({ turn }) => turn) }
}

test('a message that crashes its turn each time ends as failed after its attempts, and frees its conversation', async () => {
  const poisoned = model((text) => {
    if (text === 'poison') throw new TypeError('a defect')
  })
  const channels = await openChannels({ model: poisoned })
  await channels.make('shop', { url: 'http://127.0.0.1:9/' })
  const conversation = await channels.say('shop', 'anna', 'poison')
  await channels.say('shop', 'anna', 'after it')
  const other = await channels.say('shop', 'bert', 'beside it')
  await channels.pass(1_000)
  expect((await stored(channels, other)).texts).toEqual(['beside it', 're: beside it'])
  await channels.pass(60_000)
  expect(await stored(channels, conversation)).toEqual({
    texts: ['poison', 'after it', 're: after it'],
    turns: ['failed 4 SVC-TURN', 'completed 1'],
  })
  expect(poisoned.asked.filter((text) => text === 'poison')).toHaveLength(4)
  expect(await channels.events('turn.failed')).toBe(1)
  expect(await channels.events('delivery.pending')).toBe(2)
})

test('an answer that cannot be stored is not asked for again for ever, and frees its conversation', async () => {
  const fine = model(() => {})
  const boasting: ModelTransport = {
    ...fine,
    stream(request, sink) {
      const call = fine.stream(request, sink)
      if (request.messages.at(-1)?.content !== 'count') return call
      // More than a column of the turn's record takes.
      return { ...call, done: call.done.then((end) => ({ ...end, usage: { ...end.usage, prompt_tokens: 2 ** 40 } })) }
    },
  }
  const channels = await openChannels({ model: boasting })
  await channels.make('shop', { url: 'http://127.0.0.1:9/' })
  const conversation = await channels.say('shop', 'anna', 'count')
  await channels.say('shop', 'anna', 'after it')
  await channels.pass(60_000)
  expect(await stored(channels, conversation)).toEqual({
    texts: ['count', 'after it', 're: after it'],
    turns: ['failed 4 SVC-TURN', 'completed 1'],
  })
})

test('a model that is down for a moment costs a pause; what it refuses for good is not asked again', async () => {
  let failures = 2
  const faltering = model((text) => {
    if (text === 'never') throw new ModelError('bad_request', 'no')
    if (failures-- > 0) throw new ModelError('endpoint_overloaded', 'busy', { isTransient: true })
  })
  const channels = await openChannels({ model: faltering })
  await channels.make('shop', { url: 'http://127.0.0.1:9/' })
  const conversation = await channels.say('shop', 'anna', 'one')
  await channels.pass(1_000)
  expect((await stored(channels, conversation)).turns).toEqual(['queued 1'])
  await channels.pass(30_000)
  expect(await stored(channels, conversation)).toEqual({ texts: ['one', 're: one'], turns: ['completed 3'] })
  const refused = await channels.say('shop', 'bert', 'never')
  await channels.pass(60_000)
  expect(await stored(channels, refused)).toEqual({ texts: ['never'], turns: ['failed 1 bad_request'] })
  expect(faltering.asked.filter((text) => text === 'never')).toHaveLength(1)
})

test('each: one message a turn, in order; together: what came meanwhile is answered by the next turn', async () => {
  const channels = await openChannels({ model: model(() => {}) })
  await channels.make('each', { url: 'http://127.0.0.1:9/' })
  await channels.make('together', { url: 'http://127.0.0.1:9/', policy: { answers: 'together' } })
  const conversations: ConversationId[] = []
  for (const name of ['each', 'together']) {
    const posts = await Promise.all(['one', 'two', 'three'].map((text) => channels.say(name, 'anna', text)))
    conversations.push(posts[0] as ConversationId)
  }
  await channels.pass(1_000)
  const [each, together] = await Promise.all(conversations.map((conversation) => stored(channels, conversation)))
  expect(each?.texts).toEqual(['one', 're: one', 'two', 're: two', 'three', 're: three'])
  expect(each?.turns).toEqual(['completed 1', 'completed 1', 'completed 1'])
  expect(together?.texts.filter((text) => text.startsWith('re: ')).length).toBeLessThan(3)
  expect(together?.texts.at(-1)).toBe('re: three')
  expect(together?.turns.filter((turn) => turn.startsWith('merged')).length).toBeGreaterThan(0)
})

test('a turn that runs when the service stops is given back, its attempt forgiven, and the next start answers it', async () => {
  const db = await ofItsOwn()
  const modelCalled = Promise.withResolvers<void>()
  const hanging: ModelTransport = {
    ...model(() => {}),
    stream(request) {
      modelCalled.resolve()
      const done = new Promise<never>((_, reject) => {
        request.signal.addEventListener('abort', () => reject(new ModelError('cancelled', 'stopped')))
      })
      return { done, resume() {} }
    },
  }
  const first = await openChannels({ db, model: hanging })
  await first.make('shop', { url: 'http://127.0.0.1:9/' })
  const conversation = await first.say('shop', 'anna', 'one')
  await modelCalled.promise
  await Promise.all([first.system.stop(0), first.clock.advance(5_000)])
  expect((await stored(first, conversation)).turns).toEqual(['queued 0'])

  const second = await openChannels({ db, model: model(() => {}) })
  const shop = second.services.channels.byName('shop')
  if (!shop) throw new Error('the channel is gone')
  second.services.queue.found({ conversation, lane: shop.id, turns: 1 })
  await second.pass(1_000)
  expect(await stored(second, conversation)).toEqual({ texts: ['one', 're: one'], turns: ['completed 1'] })
})

test('a turn’s record names the agent that answered', async () => {
  const channels = await openChannels({ model: model(() => {}) })
  await channels.make('shop', { url: 'http://127.0.0.1:9/' })
  const conversation = await channels.say('shop', 'anna', 'hello')
  await channels.pass(1_000)
  const rows = await channels.db.system<{ agent: string }>`
    select agent from turns where conversation_id = ${uuidOf(conversation)}`
  expect(rows).toEqual([{ agent: 'default' }])
})

test('where the agent of a channel is gone nobody answers in its place, once and for all', async () => {
  const fine = model(() => {})
  const channels = await openChannels({ model: fine })
  await channels.make('shop', { url: 'http://127.0.0.1:9/', policy: { agent: 'was-deleted' } })
  const conversation = await channels.say('shop', 'anna', 'hello')
  await channels.pass(60_000)
  expect(await stored(channels, conversation)).toEqual({ texts: ['hello'], turns: ['failed 1 agent_missing'] })
  expect(fine.asked).toEqual([])
})

test('a turn whose row says that it was attempted as often as a number can say ends as failed, and frees its conversation', async () => {
  const fine = model(() => {})
  const channels = await openChannels({ model: fine })
  await channels.make('shop', { url: 'http://127.0.0.1:9/' })
  const conversation = await channels.say('shop', 'anna', 'hello')
  await channels.pass(1_000)
  await channels.db.system`
    insert into turns (id, workspace_id, conversation_id, channel_id, request_id, epoch, status, model, is_stream, started_at, origin,
      seq_from, seq, attempt)
    select gen_random_uuid(), workspace_id, conversation_id, channel_id, 'r', epoch, 'queued', '', true, now(), origin, 0, 0, 2147483647
    from turns where conversation_id = ${uuidOf(conversation)}`
  await channels.say('shop', 'anna', 'after it')
  const shop = channels.services.channels.byName('shop')
  if (!shop) throw new Error('the channel is gone')
  channels.services.queue.found({ conversation, lane: shop.id, turns: 1 })
  await channels.pass(5_000)
  expect((await stored(channels, conversation)).turns.toSorted()).toEqual([
    'completed 1',
    'completed 1',
    'failed 2147483647 attempts_exhausted',
  ])
  expect(channels.lines.filter(({ level }) => level >= 50)).toEqual([])
})
