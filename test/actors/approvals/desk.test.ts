/** The desk on virtual time, with real actors and a real database: time refuses, and no word is lost on its way. */
import { expect, test } from 'vitest'
import type { ModelTransport } from '../../../models/transport.ts'
import { createAgent } from '../../../store/agents.ts'
import { decideApproval, listApprovals, requestApproval } from '../../../store/approvals.ts'
import { type ConversationId, firstWorkspaceId, newApprovalId, newTurnId, uuidOf } from '../../../store/id.ts'
import { approval } from '../../store/support/steps.ts'
import { type OpenChannels, openChannels } from '../channel/support/open-channels.ts'

const operator = { workspaceId: firstWorkspaceId, name: 'operator', ip: '::1', requestId: 'r' }

/** Asks for the time first, and says then what it heard of it. */
const asking: ModelTransport = {
  name: 'of the test',
  async complete() {
    throw new Error('nobody asks for a whole answer here')
  },
  stream({ messages }, sink) {
    const last = messages.at(-1)
    if (last?.role === 'tool') sink.delta({ kind: 'text', choice: 0, text: `heard: ${String(last.content)}` })
    else {
      const call = { name: 'time_now', arguments: '{}' }
      const delta = { tool_calls: [{ index: 0, id: 'c', type: 'function', function: call }] }
      sink.delta({ kind: 'raw', choice: 0, delta })
    }
    sink.delta({ kind: 'finish', choice: 0, finishReason: last?.role === 'tool' ? 'stop' : 'tool_calls' })
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    return { done: Promise.resolve({ model: 'm', usage, isUsageEstimated: false, extra: {} }), resume() {} }
  },
  async close() {},
}

async function openDesk(): Promise<{ open: OpenChannels; conversation: ConversationId }> {
  const open = await openChannels({ model: asking })
  await createAgent(open.db, operator, { name: 'default', definition: { approval_tools: ['time_now'] } })
  await open.services.agents.refresh()
  await open.make('shop', { url: 'http://127.0.0.1:9/' })
  const conversation = await open.say('shop', 'anna', 'What time is it?')
  await open.pass(1_000)
  return { open, conversation }
}

const statuses = async ({ db }: OpenChannels, conversation: ConversationId): Promise<string[]> =>
  (
    await db.system<{
      status: string
    }>`select status from turns where conversation_id = ${uuidOf(conversation)} order by seq`
  ).map(({ status }) => status)

const lastSaid = async ({ db }: OpenChannels, conversation: ConversationId): Promise<string | undefined> =>
  (
    await db.system<{ text: string }>`
      select body ->> 'content' as text from messages where conversation_id = ${uuidOf(conversation)} and role = 'assistant'
      order by seq desc limit 1`
  )[0]?.text

const theApproval = async ({ db }: OpenChannels) => {
  const all = { status: null, turnId: null }
  const { approvals } = await listApprovals(db, firstWorkspaceId, all, { before: null, limit: 2 })
  const [only] = approvals
  if (!only) throw new Error('nothing was asked')
  return only
}

test('an approval that nobody decides counts as refused when it expires, and the turn goes on', async () => {
  const { open, conversation } = await openDesk()
  expect(await statuses(open, conversation)).toEqual(['waiting'])
  await open.pass(23 * 3_600_000, 3_600_000)
  expect(await statuses(open, conversation)).toEqual(['waiting'])
  // In small steps: a turn that goes on is not to see an hour pass.
  await open.pass(2 * 3_600_000 - 5_000, 600_000)
  expect(await statuses(open, conversation)).toEqual(['completed'])
  expect(await theApproval(open)).toMatchObject({ status: 'expired' })
  expect(await lastSaid(open, conversation)).toContain('heard: No operator approved this call in time.')
})

test('a decision that was stored without a notification is found at the next poll', async () => {
  const { open, conversation } = await openDesk()
  const { id } = await theApproval(open)
  await decideApproval(open.db, operator, { id, isApproved: true, reason: null })
  expect(await statuses(open, conversation)).toEqual(['waiting'])
  await open.pass(11_000)
  expect(await statuses(open, conversation)).toEqual(['completed'])
  expect(await lastSaid(open, conversation)).toMatch(/heard: .*\d{4}/)
})

test('a caller that waits gets such a decision too, and one that has left is not waited for', async () => {
  const { open } = await openDesk()
  const requested = await requestApproval(open.db, { node: 1, lease: null }, approval({ turnId: newTurnId() }))
  const leave = new AbortController()
  const notified = open.services.approvals.wait(requested.id, new AbortController().signal)
  const abandoned = open.services.approvals.wait(newApprovalId(), leave.signal)
  leave.abort(new Error('left'))
  await expect(abandoned).rejects.toThrow('left')
  await decideApproval(open.db, operator, { id: requested.id, isApproved: false, reason: 'no' })
  await open.pass(11_000)
  expect(await notified).toMatchObject({ status: 'refused', reason: 'no' })
})
