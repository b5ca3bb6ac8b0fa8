/** A channel's connection: what waits for it, what is sent again after it, and what of it counts as a try. */
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { channel } from '../../../actors/channel/actor.ts'
import type { ChannelAdapter } from '../../../actors/channel/adapter.ts'
import { adapters } from '../../../actors/channel/adapters.ts'
import type { ChannelId } from '../../../store/id.ts'
import { ofItsOwn, openChannels } from './support/open-channels.ts'
import { hold, status, type WebhookReceiver, webhookReceiver } from './support/webhook-receiver.ts'

/** How often it cannot be reached, and what its connecting waits for. */
let failuresLeft = 0
let connects = 0
/** How often it fails in a way that no adapter may. */
let defectsLeft = 0
let loseIt: () => void = () => {}

const generic = adapters.get('generic') as ChannelAdapter
const registry = adapters as Map<string, ChannelAdapter>

/** The generic adapter behind a connection that can fail and be lost. */
const connected: ChannelAdapter = {
  ...generic,
  name: 'connected',
  open(configured, world) {
    const transport = generic.open(configured, world)
    let lost = Promise.withResolvers<void>()
    return {
      ...transport,
      async connect() {
        connects++
        if (failuresLeft-- > 0) throw new Error('nobody is at home')
        lost = Promise.withResolvers()
        loseIt = () => lost.reject(new Error('cut'))
      },
      destinationOf(delivery) {
        if (defectsLeft-- > 0) throw new TypeError('a defect')
        return transport.destinationOf(delivery)
      },
      get lost() {
        return lost.promise
      },
    }
  },
}

beforeAll(() => void registry.set(connected.name, connected))
afterAll(() => void registry.delete(connected.name))
beforeEach(() => {
  failuresLeft = 0
  connects = 0
  defectsLeft = 0
})

async function receiver(): Promise<WebhookReceiver> {
  const opened = await webhookReceiver()
  onTestFinished(() => opened.close())
  return opened
}

test('nothing is sent before the channel is connected, and waiting for that is no try', async () => {
  const { make, say, pass, deliveries, lines } = await openChannels()
  const to = await receiver()
  failuresLeft = 4
  await make('shop', { url: to.url, adapter: 'connected', policy: { attempts_max: 1 } })
  await say('shop', 'anna', 'hello')
  // After 1, 2, 4 and 8 seconds.
  await pass(14_000)
  expect(to.received).toEqual([])
  expect(await deliveries()).toMatchObject([{ status: 'pending', attempts: 0 }])
  expect(connects).toBe(4)
  const failed = lines.filter(({ msg }) => msg === 'a channel cannot be reached; it is retried')
  expect(failed).toHaveLength(4)
  // One line each, and no stack.
  for (const line of failed) {
    expect(line).toMatchObject({ reason: 'nobody is at home', channel: 'shop' })
    expect(line).not.toHaveProperty('err')
  }
  await pass(2_000)
  expect(connects).toBe(5)
  expect(await deliveries()).toMatchObject([{ status: 'delivered', attempts: 1 }])
})

test('a connection that is lost is made again, and nothing is sent meanwhile', async () => {
  const { make, say, pass, deliveries } = await openChannels()
  const to = await receiver()
  await make('shop', { url: to.url, adapter: 'connected' })
  await pass(1_000)
  failuresLeft = 1
  loseIt()
  await pass(500, 100)
  await say('shop', 'anna', 'hello')
  await pass(1_500, 100)
  expect(to.received).toEqual([])
  await pass(3_000)
  expect(await deliveries()).toMatchObject([{ status: 'delivered', attempts: 1 }])
})

test('what an earlier start was sending is sent again once the channel is connected, under its id, and that start writes nothing over it', async () => {
  const db = await ofItsOwn()
  const earlier = await openChannels({ db })
  const to = await receiver()
  earlier.receivers.push(to)
  to.script(hold)
  await earlier.make('shop', { url: to.url, adapter: 'connected' })
  await earlier.say('shop', 'anna', 'hello')
  await earlier.pass(1_000)
  expect(await earlier.deliveries()).toMatchObject([{ status: 'sending', attempts: 0 }])

  failuresLeft = 2
  const later = await openChannels({ db })
  later.receivers.push(to)
  await later.pass(2_500, 500)
  expect(await later.deliveries()).toMatchObject([{ status: 'sending', attempts: 0 }])
  expect(to.received).toHaveLength(1)
  await later.pass(5_000)
  expect(await later.deliveries()).toMatchObject([{ status: 'delivered', attempts: 2 }])
  expect((await later.tries()).map(({ outcome }) => outcome)).toEqual(['unknown', 'delivered'])
  expect(new Set(to.received.map(({ deliveryId }) => deliveryId)).size).toBe(1)

  await earlier.clock.advance(60_000)
  await expect.poll(() => to.held).toBe(0)
  await earlier.quiet()
  expect(await later.deliveries()).toMatchObject([{ status: 'delivered', attempts: 2 }])
  expect(await later.tries()).toHaveLength(2)
})

test('a channel that is changed while it sends sends again at once, to the new place, and thinks no worse of the old one', async () => {
  const { make, change, say, pass, quiet, deliveries, tries, receivers } = await openChannels()
  const [slow, next] = [await receiver(), await receiver()]
  receivers.push(slow, next)
  slow.always(hold)
  await make('shop', { url: slow.url })
  await say('shop', 'anna', 'hello')
  await pass(1_000)
  for (let turn = 1; turn <= 5; turn++) {
    await change('shop', { url: slow.url })
    await quiet()
    await pass(1_000)
    expect(slow.received).toHaveLength(1 + turn)
  }
  await change('shop', { url: next.url })
  await pass(1_000)
  expect(next.texts()).toEqual(['re: hello'])
  expect(await deliveries()).toMatchObject([{ status: 'delivered' }])
  expect((await tries())[0]).toEqual({
    ...{ outcome: 'unknown', status_code: null, error: 'the channel was closed or opened anew while it was sent' },
  })
})

test('an outbox that crashes is opened again, and what was under way or taken is sent again', async () => {
  const { make, say, pass, clock, deliveries, tries, system, services, receivers } = await openChannels()
  const to = await receiver()
  receivers.push(to)
  to.script(hold)
  await make('shop', { url: to.url, adapter: 'connected' })
  await say('shop', 'anna', 'one')
  await pass(1_000)
  defectsLeft = 1
  await say('shop', 'bert', 'two')
  await expect.poll(() => system.counts.crashes).toBe(1)
  system.actor(channel, services.channels.byName('shop')?.id as ChannelId).tell('deliver', {})
  const delivered = async () => {
    await clock.advance(100)
    return (await deliveries()).filter((delivery) => delivery.status === 'delivered').length
  }
  await expect.poll(delivered, { interval: 1 }).toBe(2)
  expect(to.texts().sort()).toEqual(['re: one', 're: one', 're: two'])
  expect(await deliveries()).toMatchObject([
    { status: 'delivered', attempts: 2 },
    { status: 'delivered', attempts: 2 },
  ])
  expect((await tries()).map(({ outcome }) => outcome).sort()).toEqual([
    ...['delivered', 'delivered', 'unknown', 'unknown'],
  ])
})

test('a channel that cannot be reached holds up nobody, and is closed by the end of the service', async () => {
  const { make, say, pass } = await openChannels()
  const to = await receiver()
  failuresLeft = Number.POSITIVE_INFINITY
  await make('far', { url: to.url, adapter: 'connected' })
  await make('shop', { url: to.url })
  await say('far', 'anna', 'one')
  await say('shop', 'anna', 'two')
  await pass(60_000, 5_000)
  expect(to.texts()).toEqual(['re: two'])
  to.always(status(204))
})
