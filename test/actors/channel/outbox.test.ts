/** The outbox with a real receiver on a socket, on virtual time: how an answer is tried, and when it is given up. */
import { expect, onTestFinished, test } from 'vitest'
import { openChannels } from './support/open-channels.ts'
import { hold, status, type WebhookReceiver, webhookReceiver } from './support/webhook-receiver.ts'

async function receiver(options: Parameters<typeof webhookReceiver>[0] = {}): Promise<WebhookReceiver> {
  const opened = await webhookReceiver(options)
  onTestFinished(() => opened.close())
  return opened
}

async function opened() {
  const channels = await openChannels()
  const to = await receiver({ nowMs: () => channels.clock.elapsed() })
  channels.receivers.push(to)
  return { ...channels, to }
}

test('an answer is delivered once, with what the receiver needs to know of it', async () => {
  const { make, say, pass, deliveries, tries, events, to } = await opened()
  await make('shop', { url: to.url })
  await say('shop', 'anna', 'hello')
  await pass(60_000, 10_000)
  expect(to.texts()).toEqual(['re: hello'])
  const [delivery] = await deliveries()
  expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, reason: null })
  expect(JSON.parse(to.received[0]?.raw ?? '').data).toMatchObject({
    ...{ channel: 'shop', external_id: 'anna', delivery_id: delivery?.id, text: 're: hello' },
  })
  expect(await tries()).toEqual([{ outcome: 'delivered', status_code: 204, error: null }])
  expect(await events('delivery.delivered')).toBe(1)
})

test('a node that may have been taken for dead sends nothing, and that is no try', async () => {
  const { make, say, pass, deliveries, tries, services, to } = await opened()
  await make('shop', { url: to.url, policy: { attempts_max: 3 } })
  Object.assign(services.leases, { isCurrent: false })
  await say('shop', 'anna', 'hello')
  await pass(60_000, 1_000)
  expect(to.received).toEqual([])
  expect(await tries()).toEqual([])
  expect(await deliveries()).toMatchObject([{ status: 'pending', attempts: 0 }])
  Object.assign(services.leases, { isCurrent: true })
  await pass(2_000, 1_000)
  expect(to.texts()).toEqual(['re: hello'])
  expect(await deliveries()).toMatchObject([{ status: 'delivered', attempts: 1 }])
})

test('what was claimed before a node may have been taken for dead is given back, untried', async () => {
  const { make, say, pass, deliveries, tries, services, to } = await opened()
  await make('shop', { url: to.url, policy: { attempts_max: 3 } })
  // It is looked at before the claim, and again before what is claimed is sent.
  let looks = 0
  let isBack = false
  Object.defineProperty(services.leases, 'isCurrent', { get: () => isBack || ++looks % 2 === 1 })
  await say('shop', 'anna', 'hello')
  await pass(2_000, 1_000)
  expect(looks).toBeGreaterThan(2)
  expect(to.received).toEqual([])
  expect(await tries()).toEqual([])
  isBack = true
  await pass(2_000, 1_000)
  expect(to.texts()).toEqual(['re: hello'])
  expect(await deliveries()).toMatchObject([{ status: 'delivered', attempts: 1 }])
})

test('a receiver that is down for an hour gets the answer once when it is back, and was asked a few times only', async () => {
  const { make, say, pass, deliveries, tries, clock, receivers } = await opened()
  const gone = await webhookReceiver()
  await gone.close()
  await make('shop', { url: gone.url })
  await say('shop', 'anna', 'hello')
  await pass(3_600_000, 30_000)
  const failed = await tries()
  expect(failed.length).toBeGreaterThanOrEqual(8)
  expect(failed.length).toBeLessThanOrEqual(11)
  expect(failed[0]).toMatchObject({ outcome: 'failed', status_code: null })
  expect(failed[0]?.error).toBe('127.0.0.1 cannot be reached.')
  const [waiting] = await deliveries()
  expect(waiting).toMatchObject({ status: 'failed', attempts: failed.length })

  const back = await receiver({ port: gone.port, nowMs: () => clock.elapsed() })
  receivers.push(back)
  await pass(3_600_000, 30_000)
  expect(back.received.map(({ deliveryId }) => deliveryId)).toEqual([waiting?.id])
  expect(await deliveries()).toMatchObject([{ status: 'delivered', attempts: failed.length + 1 }])
})

test('the waits between tries double, and are at least half of that', async () => {
  const { make, say, pass, to } = await opened()
  to.always(status(503))
  await make('shop', { url: to.url, policy: { attempts_max: 5 } })
  await say('shop', 'anna', 'hello')
  await pass(120_000)
  const waits = to.received.slice(1).map(({ atMs }, index) => atMs - (to.received[index]?.atMs ?? 0))
  expect(waits).toHaveLength(4)
  for (const [index, waitMs] of waits.entries()) {
    const ceilingMs = 4_000 * 2 ** index
    expect(waitMs).toBeGreaterThanOrEqual(ceilingMs / 2)
    expect(waitMs).toBeLessThanOrEqual(ceilingMs + 2_000)
  }
})

test('tries that the service cut off itself, as it was killed or lost its slots, make no wait longer', async () => {
  const { make, say, pass, db, to } = await opened()
  to.always(status(503))
  await make('shop', { url: to.url })
  await say('shop', 'anna', 'hello')
  await pass(1_000)
  expect(to.received).toHaveLength(1)
  await db.system`
    with cut_off as (update deliveries set attempts = attempts + 6 returning id, workspace_id)
    insert into delivery_attempts (delivery_id, attempt, workspace_id, at, outcome)
    select id, n, workspace_id, now(), 'unknown' from cut_off cross join generate_series(2, 7) as n`
  await pass(4_000)
  expect(to.received).toHaveLength(2)
  await pass(9_000)
  expect(to.received).toHaveLength(3)
})

test('an answer is given up after its last try, and an event says so', async () => {
  const { make, say, pass, deliveries, events, to } = await opened()
  to.always(status(500))
  await make('shop', { url: to.url, policy: { attempts_max: 3 } })
  await say('shop', 'anna', 'hello')
  await pass(3_600_000, 30_000)
  expect(to.received).toHaveLength(3)
  expect(await deliveries()).toMatchObject([
    { status: 'undeliverable', attempts: 3, reason: 'the receiver answered 500' },
  ])
  expect(await events('delivery.failed')).toBe(2)
  expect(await events('delivery.undeliverable')).toBe(1)
})

test('a receiver that does not answer within the time of the policy counts as failed, and is let go', async () => {
  const { make, say, pass, deliveries, tries, to } = await opened()
  to.script(hold)
  await make('shop', { url: to.url, policy: { send_timeout_s: 7 } })
  await say('shop', 'anna', 'hello')
  await pass(6_000)
  expect(to.held).toBe(1)
  expect(await deliveries()).toMatchObject([{ status: 'sending' }])
  await pass(2_000)
  await expect.poll(() => to.held).toBe(0)
  expect(await tries()).toEqual([{ outcome: 'failed', status_code: null, error: 'no answer in time' }])
  await pass(10_000)
  expect(await deliveries()).toMatchObject([{ status: 'delivered', attempts: 2 }])
})

test('a receiver that asks to be left alone is, as long as it said', async () => {
  const { make, say, pass, deliveries, to } = await opened()
  to.script(status(429, { 'retry-after': '300' }))
  await make('shop', { url: to.url })
  await say('shop', 'anna', 'hello')
  await pass(298_000, 2_000)
  expect(to.received).toHaveLength(1)
  await pass(8_000)
  expect(to.received).toHaveLength(2)
  expect(await deliveries()).toMatchObject([{ status: 'delivered', attempts: 2 }])
})

test.each([400, 410, 413, 422])('a %i is final: nothing is tried again', async (code) => {
  const { make, say, pass, deliveries, tries, to } = await opened()
  to.always(status(code))
  await make('shop', { url: to.url })
  await say('shop', 'anna', 'hello')
  await pass(600_000, 10_000)
  expect(to.received).toHaveLength(1)
  expect(await deliveries()).toMatchObject([{ status: 'undeliverable', reason: `the receiver answered ${code}` }])
  expect(await tries()).toMatchObject([{ outcome: 'refused', status_code: code }])
})

test('a redirect is not followed, and tried again', async () => {
  const { make, say, pass, deliveries, tries, to } = await opened()
  const elsewhere = await receiver()
  to.script(status(302, { location: elsewhere.url }))
  await make('shop', { url: to.url })
  await say('shop', 'anna', 'hello')
  await pass(10_000)
  expect(elsewhere.received).toEqual([])
  expect(to.received).toHaveLength(2)
  expect((await tries())[0]).toEqual({
    ...{ outcome: 'failed', status_code: 302, error: 'a redirect (302), which is not followed' },
  })
  expect(await deliveries()).toMatchObject([{ status: 'delivered' }])
})

test('an internal port that does not speak TLS is named in the log only, and tried again', async () => {
  const { make, say, pass, deliveries, tries, to, lines } = await opened()
  await make('shop', { url: to.url.replace('http:', 'https:') })
  await say('shop', 'anna', 'hello')
  await pass(5_000)
  expect((await tries()).length).toBeGreaterThan(1)
  const [first] = await tries()
  expect(first?.outcome).toBe('failed')
  expect(first?.error).toBe('127.0.0.1 cannot be reached.')
  expect(JSON.stringify(lines)).toMatch(/SSL|TLS/)
  expect(await deliveries()).toMatchObject([{ status: 'failed' }])
})

test('an answer that has become too old is not sent any more; what hindered it before is told', async () => {
  const { make, say, pass, deliveries, events, to } = await opened()
  to.always(status(503))
  await make('shop', { url: to.url, policy: { age_max_s: 20 } })
  await say('shop', 'anna', 'hello')
  await pass(21_000)
  to.always(status(204))
  const before = to.received.length
  await pass(120_000, 5_000)
  expect(to.received).toHaveLength(before)
  const reason = 'too old to be sent; before that: the receiver answered 503'
  expect(await deliveries()).toMatchObject([{ status: 'undeliverable', reason }])
  expect(await events('delivery.undeliverable')).toBe(1)
})

test('answers of one conversation arrive in order, and another conversation does not wait for them', async () => {
  const { make, say, pass, to } = await opened()
  to.script(status(503))
  await make('shop', { url: to.url })
  await say('shop', 'anna', 'one')
  await pass(1_000)
  await say('shop', 'anna', 'two')
  await say('shop', 'bert', 'other')
  await pass(1_000)
  expect(to.texts()).toEqual(['re: one', 're: other'])
  await pass(60_000)
  expect(to.texts()).toEqual(['re: one', 're: other', 're: one', 're: two'])
})

test('a channel whose receiver is dead or does not answer holds up no other channel', async () => {
  const { make, say, pass, deliveries, receivers, to } = await opened()
  const silent = await receiver()
  receivers.push(silent)
  silent.always(hold)
  await make('silent', { url: silent.url, policy: { deliveries_max: 1 } })
  await make('shop', { url: to.url })
  await say('silent', 'anna', 'one')
  await say('silent', 'bert', 'two')
  for (let at = 0; at < 5; at++) await say('shop', `sender-${at}`, 'hello')
  await pass(1_000)
  expect(to.received).toHaveLength(5)
  expect(silent.received).toHaveLength(1)
  expect((await deliveries()).map((delivery) => delivery.status).sort()).toEqual([
    ...Array.from({ length: 5 }, () => 'delivered'),
    ...['pending', 'sending'],
  ])
})

test('a dead receiver with many answers is asked a bounded number of times', async () => {
  const { make, say, pass, tries, to } = await opened()
  to.always(status(503))
  await make('shop', { url: to.url, policy: { deliveries_max: 5 } })
  for (let at = 0; at < 40; at++) await say('shop', `sender-${at}`, 'hello')
  await pass(1_800_000, 30_000)
  // Five before it is left alone; then one after each rest of 10, 20, 40 … 300 seconds.
  expect((await tries()).length).toBeGreaterThanOrEqual(10)
  expect((await tries()).length).toBeLessThanOrEqual(16)
  to.always(status(204))
  await pass(3_600_000, 30_000)
  expect(new Set(to.received.map(({ deliveryId }) => deliveryId)).size).toBe(40)
})

test('no more answers leave in a second than the policy says', async () => {
  const { make, say, pass, to } = await opened()
  await make('shop', { url: to.url, policy: { rate_per_s: 2 } })
  for (let at = 0; at < 10; at++) await say('shop', `sender-${at}`, 'hello')
  await pass(10_000, 250)
  expect(to.received).toHaveLength(10)
  for (const { atMs } of to.received) {
    const within = to.received.filter((other) => other.atMs >= atMs && other.atMs < atMs + 1_000)
    // A second's worth at once, and what the next second allows.
    expect(within.length).toBeLessThanOrEqual(4)
  }
  const [first, last] = [to.received[0]?.atMs ?? 0, to.received.at(-1)?.atMs ?? 0]
  expect(last - first).toBeGreaterThanOrEqual(3_500)
})
