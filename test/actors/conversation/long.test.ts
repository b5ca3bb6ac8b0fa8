/** Long conversations: read once and carried on in memory, so that a turn costs the same however much was said before. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { defaultAgent, defaultAgentName } from '../../../actors/agent/directory/definition.ts'
import { conversation as conversationActor } from '../../../actors/conversation/actor.ts'
import type { ChatMessage, ModelTransport } from '../../../models/transport.ts'
import { loadContext } from '../../../store/conversations/summaries.ts'
import { type ConversationId, firstWorkspaceId, newTurnId, uuidOf } from '../../../store/id.ts'
import { ownerId } from '../../../store/owner-id.ts'
import { type OpenChannels, openChannels } from '../channel/support/open-channels.ts'

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }

/** Answers "re: …", and sums up as `summary` says. */
function model(summary: () => Promise<string> = async () => 'They like tea.') {
  const prompts: (readonly ChatMessage[])[] = []
  const transport: ModelTransport = {
    name: 'of the test',
    async complete() {
      const message = { role: 'assistant', content: await summary() }
      const choices = [{ index: 0, message, finish_reason: 'stop' }]
      return { model: 'm', choices, usage, isUsageEstimated: false, extra: {} }
    },
    stream(request, sink) {
      prompts.push(request.messages)
      sink.delta({ kind: 'text', choice: 0, text: `re: ${String(request.messages.at(-1)?.content)}` })
      sink.delta({ kind: 'finish', choice: 0, finishReason: 'stop' })
      return { done: Promise.resolve({ model: 'm', usage, isUsageEstimated: false, extra: {} }), resume() {} }
    },
    async close() {},
  }
  return { told: prompts, transport }
}

/** A conversation of so many messages of earlier calls, and how often messages are read from here on. */
async function long(count: number, transport: ModelTransport) {
  const channels = await openChannels({ model: transport })
  await channels.make('shop', { url: 'http://127.0.0.1:9/' })
  const id = await channels.say('shop', 'anna', 'hello')
  await channels.pass(1_000)
  await channels.db.system`
    insert into messages (conversation_id, seq, id, workspace_id, turn_id, role, body)
    select ${uuidOf(id)}::uuid, n, gen_random_uuid(), ${uuidOf(firstWorkspaceId)}::uuid, gen_random_uuid(), role,
      jsonb_build_object('role', role, 'content', 'message ' || n)
    from generate_series(3, ${count}::integer) as n,
      lateral (select case when n % 2 = 1 then 'user' else 'assistant' end as role) as speaker`
  await channels.db.system`update conversations set last_seq = ${count} where id = ${uuidOf(id)}`
  channels.services.histories.forget(id)
  return { world: channels, id, reads: countReads(channels) }
}

function countReads({ services }: OpenChannels): () => number {
  const { db } = services
  const { forWorkspace: within } = db
  let reads = 0
  db.forWorkspace = (workspace) => {
    const query = within(workspace)
    return (text, ...values) => {
      if (/from messages/.test(text.join(''))) reads++
      return query(text, ...values)
    }
  }
  return () => reads
}

async function stored({ db }: OpenChannels, id: ConversationId) {
  const past = await loadContext(db, firstWorkspaceId, id, 500)
  return past && { ...past, messages: past.messages.map(({ body, turnSeq }) => ({ message: body, turnSeq })) }
}

function post({ system }: OpenChannels, id: ConversationId, text: string, isAgent: boolean): Promise<unknown> {
  return system.actor(conversationActor, id).ask(
    'post',
    {
      ...{
        turnId: newTurnId(),
        workspaceId: firstWorkspaceId,
        apiKeyId: null,
        requestId: 'r',
        isNew: false,
        owner: ownerId('key', 'test'),
        model: 'm',
      },
      ...{ messages: [{ role: 'user', content: text }], parameters: {}, isStream: true },
      agent: isAgent ? { name: defaultAgentName, definition: defaultAgent } : null,
    },
    { deadlineMs: Number.POSITIVE_INFINITY },
  )
}

test('of a thousand messages the oldest are summarised once, the rest read once; what is kept is what a read would bring', async () => {
  const { told, transport } = model()
  const { world, id, reads } = await long(1_000, transport)
  for (const text of ['one', 'two', 'three']) {
    await world.say('shop', 'anna', text)
    await world.pass(1_000)
  }
  expect(reads()).toBe(1)
  const history = world.services.histories.get(id)
  expect(history).toEqual(await stored(world, id))
  expect(history?.summary?.text).toBe('They like tea.')
  expect(history?.messages.length).toBeLessThan(300)
  const last = told.at(-1)?.map(({ content }) => String(content)) ?? []
  expect(last[1]).toContain('They like tea.')
  expect(last.slice(-6)).toEqual(['message 1000', 'one', 're: one', 'two', 're: two', 'three'])

  await world.say('shop', 'anna', 'four')
  await world.pass(1_000)
  // The very same objects: their tokens are known.
  expect(world.services.histories.get(id)?.messages[0]?.message).toBe(history?.messages[0]?.message)
})

test('calls and messages of a channel carry the same past on; a model without an agent is told it without the summary', async () => {
  const { told, transport } = model()
  const { world, id, reads } = await long(460, transport)
  await post(world, id, 'of an agent', true)
  await world.say('shop', 'anna', 'of a channel')
  await world.pass(1_000)
  expect(reads()).toBe(1)
  expect(world.services.histories.get(id)).toEqual(await stored(world, id))
  await post(world, id, 'of none', false)
  expect(told.at(-1)?.map(({ content }) => content)).toEqual([
    ...['hello', 're: hello', ...Array.from({ length: 458 }, (_, at) => `message ${at + 3}`)],
    ...['of an agent', 're: of an agent', 'of a channel', 're: of a channel', 'of none'],
  ])
  const history = world.services.histories.get(id)
  expect(history?.summary?.text).toBe('They like tea.')
  expect(history).toEqual(await stored(world, id))
})

test('a call that is answered while a message waits stands in memory where the store has it', async () => {
  const { transport } = model()
  const release = Promise.withResolvers<void>()
  const modelCalled = Promise.withResolvers<void>()
  const slow: ModelTransport = {
    ...transport,
    stream(request, sink) {
      const call = transport.stream(request, sink)
      if (request.messages.at(-1)?.content !== 'call') return call
      modelCalled.resolve()
      return { ...call, done: release.promise.then(() => call.done) }
    },
  }
  const { world, id } = await long(4, slow)
  const called = post(world, id, 'call', true)
  await modelCalled.promise
  await world.say('shop', 'anna', 'waits')
  for (let at = 0; at < 10; at++) await nextTurn()
  release.resolve()
  await called
  await world.pass(1_000)
  const history = world.services.histories.get(id)
  expect(history?.messages.slice(-4).map(({ message }) => message.content)).toEqual([
    ...['call', 'waits', 're: waits', 're: call'],
  ])
  expect(history).toEqual(await stored(world, id))
})

test('where the store does not take the summary, because the context begins elsewhere by now, nothing is kept', async () => {
  let reset = async () => {}
  const { transport } = model(async () => {
    await reset()
    return 'late'
  })
  const { world, id, reads } = await long(460, transport)
  reset = async () => {
    await world.db.system`update conversations set context_after_seq = 458 where id = ${uuidOf(id)}`
  }
  await world.say('shop', 'anna', 'one')
  await world.pass(1_000)
  expect(world.services.histories.get(id)).toBeUndefined()
  await world.say('shop', 'anna', 'two')
  await world.pass(1_000)
  expect(reads()).toBe(2)
  const history = world.services.histories.get(id)
  expect(history).toEqual(await stored(world, id))
  expect([history?.summary, history?.contextAfterSeq, history?.messages.length]).toEqual([null, 458, 6])
})
