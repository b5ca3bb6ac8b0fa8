/** Time and operators, on virtual time with real actors and a real database: who is waited for, and what a resumed turn has left. */
import { expect, test } from 'vitest'
import { call } from '../../../actors/call/actor.ts'
import type { ChatMessage, ModelRequest, ModelTransport } from '../../../models/transport.ts'
import { createAgent, readAllAgents } from '../../../store/agents.ts'
import { decideApproval, listApprovals } from '../../../store/approvals.ts'
import { firstWorkspaceId, newTurnId, uuidOf } from '../../../store/id.ts'
import { type OpenChannels, openChannels } from '../channel/support/open-channels.ts'

const operator = { workspaceId: firstWorkspaceId, name: 'operator', ip: '::1', requestId: 'r' }

type Said = string | { call: string; given?: object }

/** Says what it is given for each request, each word as late as the test wants. */
function scripted(say: (request: ModelRequest) => Said, late: () => Promise<void> = async () => {}) {
  const requests: ModelRequest[] = []
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  const end = { model: 'm', usage, isUsageEstimated: false, extra: {} }
  function messageOf(said: Said): Record<string, unknown> {
    if (typeof said === 'string') return { role: 'assistant', content: said }
    const called = { name: said.call, arguments: JSON.stringify(said.given ?? {}) }
    return {
      role: 'assistant',
      content: null,
      tool_calls: [{ index: 0, id: `c${requests.length}`, type: 'function', function: called }],
    }
  }
  const model: ModelTransport = {
    name: 'of the test',
    async complete(request) {
      requests.push(request)
      const message = messageOf(say(request))
      await Promise.race([late(), ended(request.signal)])
      return { ...end, choices: [{ index: 0, message, finish_reason: message['tool_calls'] ? 'tool_calls' : 'stop' }] }
    },
    stream(request, sink) {
      requests.push(request)
      const { content, ...rest } = messageOf(say(request))
      async function run() {
        await Promise.race([late(), ended(request.signal)])
        if (content) sink.delta({ kind: 'text', choice: 0, text: String(content) })
        else sink.delta({ kind: 'raw', choice: 0, delta: rest })
        sink.delta({ kind: 'finish', choice: 0, finishReason: content ? 'stop' : 'tool_calls' })
        return end
      }
      return { done: run(), resume() {} }
    },
    async close() {},
  }
  return { model, asked: requests }
}

const ended = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

const lastOf = ({ messages }: ModelRequest): ChatMessage | undefined => messages.at(-1)

async function pending(open: OpenChannels) {
  const filter = { status: 'pending', turnId: null } as const
  const list = async () =>
    (await listApprovals(open.db, firstWorkspaceId, filter, { before: null, limit: 2 })).approvals
  await expect.poll(async () => (await list()).length).toBe(1)
  const [only] = await list()
  if (!only) throw new Error('nothing is pending')
  return only
}

async function approve(open: OpenChannels): Promise<void> {
  const { id } = await pending(open)
  const approval = await decideApproval(open.db, operator, { id, isApproved: true, reason: null })
  if (!approval) throw new Error('it was not decided')
  await open.services.approvals.decided(approval)
}

test('the time of a sub-agent stands still while one of its calls waits for an operator', async () => {
  const { model } = scripted((request) => {
    const last = lastOf(request)
    const isClerk = String(request.messages[0]?.content).includes('You are clerk.')
    if (last?.role === 'tool') return `heard: ${String(last.content)}`
    return isClerk ? { call: 'time_now' } : { call: 'delegate', given: { agent: 'clerk', task: 'Look' } }
  })
  const open = await openChannels({ model })
  const clerk = { instructions: 'You are clerk.', tools: ['time_now'], approval_tools: ['time_now'] }
  await createAgent(open.db, operator, { name: 'clerk', definition: clerk })
  await createAgent(open.db, operator, { name: 'lead', definition: { tools: [], sub_agents: ['clerk'] } })
  expect(await readAllAgents(open.db, [], 10)).toHaveLength(2)
  await open.services.agents.refresh()
  const agent = open.services.agents.find(firstWorkspaceId, 'lead')
  if (!agent) throw new Error('there is no lead')
  const turnId = newTurnId()
  const answered = open.system.actor(call, turnId).ask(
    'post',
    {
      turnId,
      workspaceId: firstWorkspaceId,
      apiKeyId: null,
      requestId: 'r',
      model: 'lead',
      messages: [{ role: 'user', content: 'Go' }],
      parameters: {},
      isStream: false,
      agent: { name: agent.name, definition: agent.definition },
    },
    { deadlineMs: Number.POSITIVE_INFINITY },
  )
  await pending(open)
  // Those of the turn and of its sub-agent are not among them.
  await expect.poll(() => open.clock.timersWaiting).toBe(4)
  // Past the 180 s of a sub-agent and the 900 s of a turn.
  await open.clock.advance(3_600_000)
  await approve(open)
  const { choices } = await answered
  expect(String(choices[0]?.message['content'])).toMatch(/heard: [\s\S]*heard: .*\d{4}/)
})

test('the time that a turn worked before it was paused counts when it is resumed', async () => {
  let late = Promise.withResolvers<void>()
  const { model, asked } = scripted(
    () => ({ call: 'time_now' }),
    () => late.promise,
  )
  const open = await openChannels({ model })
  await createAgent(open.db, operator, { name: 'default', definition: { approval_tools: ['time_now'] } })
  await open.services.agents.refresh()
  await open.make('shop', { url: 'http://127.0.0.1:9/' })
  const conversationId = await open.say('shop', 'anna', 'What time is it?')
  const status = async () => {
    const [row] = await open.db.system<{ status: string; finish: string | null }>`
      select status, finish_reason as finish from turns where conversation_id = ${uuidOf(conversationId)}`
    return [row?.status, row?.finish ?? null]
  }
  // Twice four hundred seconds of the nine hundred that a turn has.
  for (const round of [1, 2]) {
    await expect.poll(() => asked.length).toBe(round)
    await open.clock.advance(400_000)
    late.resolve()
    await expect.poll(status).toEqual(['waiting', null])
    late = Promise.withResolvers()
    await open.clock.advance(3_600_000)
    await approve(open)
  }
  await expect.poll(() => asked.length).toBe(3)
  await open.clock.advance(101_000)
  await expect.poll(status).toEqual(['completed', 'length'])
})
