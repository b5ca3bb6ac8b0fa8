/** A channel that is deleted: what is open of it ends, what it was stays readable, and nothing of it waits for ever. */
import { expect, onTestFinished, test } from 'vitest'
import { deleteChannel } from '../../../actors/channel/delete-channel.ts'
import { firstWorkspaceId } from '../../../store/id.ts'
import { type OpenChannels, openChannels } from './support/open-channels.ts'
import { hold, status, webhookReceiver } from './support/webhook-receiver.ts'

const actor = { workspaceId: firstWorkspaceId, name: 'ada', ip: '127.0.0.1', requestId: 'r' }

async function receiver(channels: OpenChannels) {
  const to = await webhookReceiver()
  onTestFinished(() => to.close())
  channels.receivers.push(to)
  return to
}

function deletion({ services, system }: OpenChannels, name: string) {
  const id = services.channels.byName(name)?.id
  if (!id) throw new Error(`there is no channel ${name}`)
  return deleteChannel({ services, system }, { id, workspaceId: firstWorkspaceId }, actor)
}

test('answers that are sent, wait for a retry or wait for an earlier one are cancelled, and none leaves later', async () => {
  const channels = await openChannels()
  const { make, say, pass, quiet, deliveries, tries, events } = channels
  const to = await receiver(channels)
  await make('shop', { url: to.url, policy: { deliveries_max: 1 } })
  to.script(status(500), hold)
  await say('shop', 'anna', 'retried')
  await pass(1_000)
  await say('shop', 'bert', 'held')
  await pass(1_000)
  await say('shop', 'carl', 'next')
  await quiet()
  expect((await deliveries()).map((one) => one.status)).toEqual(['failed', 'sending', 'pending'])

  expect(await deletion(channels, 'shop')).toEqual({ turns: 0, deliveries: 3 })
  await pass(120_000, 10_000)
  expect(await deliveries()).toMatchObject(
    Array.from({ length: 3 }, () => ({ status: 'cancelled', reason: 'the channel was deleted' })),
  )
  // Nobody knows whether it arrived.
  expect((await tries()).at(-1)).toMatchObject({ outcome: 'unknown' })
  expect([to.received.length, await events('delivery.cancelled')]).toEqual([2, 3])
})

test('turns that wait are cancelled and leave the queue; other channels go on', async () => {
  const channels = await openChannels()
  const { make, say, pass, db, services, events } = channels
  const to = await receiver(channels)
  await make('shop', { url: to.url })
  await make('other', { url: to.url })
  const id = services.channels.byName('shop')?.id
  if (!id) throw new Error('it was made')
  await db.system`update channels set is_paused = true, updated_at = now() where name = 'shop'`
  await services.channels.refresh()
  const conversation = await say('shop', 'anna', 'one')
  await say('shop', 'anna', 'two')
  expect(services.queue.backlog(id)).toBe(2)

  expect(await deletion(channels, 'shop')).toEqual({ turns: 2, deliveries: 0 })
  expect([services.queue.backlog(id), services.queue.isTracked(conversation, id)]).toEqual([0, false])
  expect([services.channels.byName('shop'), await events('turn.cancelled')]).toEqual([undefined, 2])
  await say('other', 'anna', 'three')
  await pass(1_000)
  expect(to.texts()).toEqual(['re: three'])
})

test('a new channel of the same name is another one: its senders begin new conversations', async () => {
  const channels = await openChannels()
  const { make, say, pass, db } = channels
  const to = await receiver(channels)
  await make('shop', { url: to.url })
  const before = await say('shop', 'anna', 'one')
  await pass(1_000)
  await deletion(channels, 'shop')
  await make('shop', { url: to.url })
  expect(await say('shop', 'anna', 'two')).not.toBe(before)
  await pass(1_000)
  expect(to.texts()).toEqual(['re: one', 're: two'])
  const messages = await db.system<{ n: number }>`select count(*)::integer as n from messages`
  expect(messages).toEqual([{ n: 4 }])
})
