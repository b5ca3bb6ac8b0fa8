/** An answer whose turn was cancelled: whatever of it was said already, nobody gets it. */
import { expect, onTestFinished, test } from 'vitest'
import { conversation as conversationActor } from '../../../actors/conversation/actor.ts'
import { cancelled } from '../../../models/errors.ts'
import type { ModelEnd, ModelTransport } from '../../../models/transport.ts'
import { type ConversationId, firstWorkspaceId, idFrom, type TurnId, uuidOf } from '../../../store/id.ts'
import { cancelTurn } from '../../../store/turns/queue.ts'
import { type OpenChannels, openChannels } from './support/open-channels.ts'
import { type WebhookReceiver, webhookReceiver } from './support/webhook-receiver.ts'

interface UnderTest extends OpenChannels {
  to: WebhookReceiver
  /** Says the rest of what was begun. */
  goOn(): void
  calls(): number
}

/** The first answer begins and stops in the middle; those after it are whole. */
async function underTest(): Promise<UnderTest> {
  const rest = Promise.withResolvers<void>()
  let calls = 0
  const model: ModelTransport = {
    name: 'of the test',
    async complete() {
      throw new Error('nobody asks for a whole answer here')
    },
    stream(request, sink) {
      const isFirst = calls++ === 0
      sink.delta({ kind: 'model', model: 'm', extra: {} })
      sink.delta({ kind: 'text', choice: 0, text: isFirst ? 'a part' : 'whole' })
      async function done(): Promise<ModelEnd> {
        if (isFirst) await rest.promise
        if (request.signal.aborted) throw cancelled()
        sink.delta({ kind: 'finish', choice: 0, finishReason: 'stop' })
        const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
        return { model: 'm', usage, isUsageEstimated: false, extra: {} }
      }
      request.signal.addEventListener('abort', () => rest.resolve(), { once: true })
      return { done: done(), resume() {} }
    },
    async close() {},
  }
  const channels = await openChannels({ model })
  const to = await webhookReceiver()
  onTestFinished(() => to.close())
  channels.receivers.push(to)
  await channels.make('shop', { url: to.url })
  return { ...channels, to, goOn: () => rest.resolve(), calls: () => calls }
}

async function runningTurn({ db }: OpenChannels, conversation: ConversationId): Promise<TurnId> {
  const [row] = await db.system<{ id: string }>`
    select id from turns where conversation_id = ${uuidOf(conversation)} and status = 'running'`
  if (!row) throw new Error('no turn runs')
  return idFrom('turn', row.id)
}

async function statuses({ db }: OpenChannels): Promise<string[]> {
  return (await db.system<{ status: string }>`select status from turns order by id`).map(({ status }) => status)
}

test('a turn that is cut off in the middle leaves nothing to deliver, and the next one is answered', async () => {
  const channels = await underTest()
  const { db, system, say, pass, deliveries, to, calls } = channels
  const conversation = await say('shop', 'anna', 'one')
  await expect.poll(calls).toBe(1)
  const turn = await runningTurn(channels, conversation)
  expect(await cancelTurn(db, firstWorkspaceId, { conversation, turn }, 'by the test')).toMatchObject({
    wasRunning: true,
  })
  system.actor(conversationActor, conversation).tell('cancel', { turnId: turn })
  await pass(10_000)
  expect([await deliveries(), to.texts(), await statuses(channels)]).toEqual([[], [], ['cancelled']])
  await say('shop', 'anna', 'two')
  await pass(10_000)
  expect(to.texts()).toEqual(['whole'])
})

test('a turn that was cancelled while its last words came is not delivered either', async () => {
  const channels = await underTest()
  const { db, say, pass, deliveries, to, goOn, calls } = channels
  const conversation = await say('shop', 'anna', 'one')
  await expect.poll(calls).toBe(1)
  const turn = await runningTurn(channels, conversation)
  await cancelTurn(db, firstWorkspaceId, { conversation, turn }, 'by the test')
  // The word to the actor is late: the model says all it has to say.
  goOn()
  await pass(10_000)
  expect([await deliveries(), to.texts(), await statuses(channels)]).toEqual([[], [], ['cancelled']])
  const [messages] = await db.system<{ n: number }>`
    select count(*)::integer as n from messages where role = 'assistant'`
  expect(messages?.n).toBe(0)
})
