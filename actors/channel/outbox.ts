/** The outbox of a channel: deliveries that are due are claimed, attempted and recorded, in order for each conversation. */
import type { Random } from '../../runtime/random.ts'
import { exponential } from '../../runtime/time/backoff.ts'
import { minutes, ms, seconds } from '../../runtime/time/duration.ts'
import { type RetryPolicy, retried } from '../../runtime/time/retried.ts'
import {
  type Attempt,
  type ClaimedDelivery,
  claimDeliveries,
  expireDeliveries,
  type HeldChannel,
  nextDeliveryInMs,
  releaseDeliveries,
} from '../../store/deliveries/deliveries.ts'
import { DatabaseDown } from '../../store/errors.ts'
import { type ChannelTransport, DeliveryFailed, type OutgoingDelivery, type Sent } from './adapter.ts'
import type { Channel } from './channels.ts'
import type { ChannelContext } from './state.ts'

/** At least half of it is waited, so that the twelve attempts of the default policy outlast an hour. */
const retryCeiling = exponential(seconds(4), minutes(60))
const recordPolicy: RetryPolicy = { backoff: exponential(ms(200), seconds(5)), isRetryable: () => true }

/** Of one run; the next one finds the rest. */
const expiredMax = 500

/** The outbox is checked at least this often, whatever the clocks of the database and ours say. */
const checkMsMax = minutes(1)
const checkMsMin = ms(50)
/** While the database is away. */
const checkMsAway = seconds(1)

/** Claims what is due, within the limits of the channel, and starts an attempt of each. */
export async function pump(context: ChannelContext): Promise<void> {
  try {
    await sendDue(context)
  } catch (error) {
    if (!(error instanceof DatabaseDown)) throw error
    context.state.timer?.cancel()
    context.state.timer = context.after(checkMsAway, 'deliver', {})
  }
}

async function sendDue(context: ChannelContext): Promise<void> {
  const { state, services, key } = context
  const configured = services.channels.byId(key)
  const { transport } = state
  if (!configured || !state.isConnected || !transport || context.isDraining) return
  const { leases } = services
  const hold = leases.hold(key)
  if (!hold) return
  try {
    await sendHeld(context, { configured, transport }, { key, node: leases.node, lease: hold.lease })
  } finally {
    hold.release()
  }
}

async function sendHeld(
  context: ChannelContext,
  { configured, transport }: { configured: Channel; transport: ChannelTransport },
  held: HeldChannel,
): Promise<void> {
  const { state, services } = context
  const { db } = services
  const now = new Date(context.clock.now())
  if ((await expireDeliveries(db, held, expiredMax, now)) > 0) services.feed.wake()
  const room = configured.policy.deliveries_max - state.sending
  const places = state.pace.take(room, configured.policy.rate_per_s)
  const claimed = places > 0 ? await claimDeliveries(db, held, places, now) : []
  state.pace.take(claimed.length - places, configured.policy.rate_per_s)
  const resting: { delivery: ClaimedDelivery; restMs: number }[] = []
  for (const delivery of claimed) {
    const outgoing = outgoingOf(delivery)
    const restMs = state.breaker.restMs(transport.destinationOf(outgoing))
    if (restMs > 0) resting.push({ delivery, restMs })
    else start(context, { configured, held }, delivery, outgoing)
  }
  await release(context, held, resting)
  await scheduleNext(context, configured, places, claimed.length)
}

async function release(
  context: ChannelContext,
  held: HeldChannel,
  resting: { delivery: ClaimedDelivery; restMs: number }[],
): Promise<void> {
  const { db } = context.services
  for (const { delivery, restMs } of resting) {
    await releaseDeliveries(db, held, [delivery.id], new Date(context.clock.now() + restMs))
  }
}

/** When all places are used, the end of an attempt is the next check; else it is when the next delivery becomes due. */
async function scheduleNext(
  context: ChannelContext,
  configured: Channel,
  places: number,
  claimed: number,
): Promise<void> {
  const { state, services, key } = context
  state.timer?.cancel()
  state.timer = undefined
  if (places === 0 && state.sending > 0) return
  const waitMs =
    places === 0 || claimed === places
      ? state.pace.waitMs(configured.policy.rate_per_s)
      : await nextDeliveryInMs(services.db, key, new Date(context.clock.now()))
  if (waitMs === null) return
  const boundedMs = Math.min(checkMsMax, Math.max(checkMsMin, waitMs))
  state.timer = context.after(boundedMs, 'deliver', {})
}

/** The channel as it was when the delivery was claimed. */
interface Sending {
  configured: Channel
  held: HeldChannel
}

function start(context: ChannelContext, sending: Sending, delivery: ClaimedDelivery, outgoing: OutgoingDelivery): void {
  context.state.sending++
  // Its channel is not handed over before it has ended.
  const hold = context.services.leases.hold(context.key)
  const work = (stopped: AbortSignal) => attempt(context, sending, delivery, outgoing, stopped)
  context.task((stopped) => work(stopped).finally(() => hold?.release()), 'tried')
}

/** An attempt is over: its place is free. */
export function attemptEnded({ state, services, key }: ChannelContext): void {
  state.sending--
  services.channels.wake(key)
}

async function attempt(
  context: ChannelContext,
  { configured, held }: Sending,
  delivery: ClaimedDelivery,
  outgoing: OutgoingDelivery,
  stopped: AbortSignal,
): Promise<void> {
  const { state, services, clock } = context
  const { transport, connection } = state
  if (!transport) return
  const destination = transport.destinationOf(outgoing)
  const at = new Date(clock.now())
  const startedMs = clock.elapsed()
  const limit = new AbortController()
  const timer = clock.after(configured.policy.send_timeout_s * 1_000, () =>
    limit.abort(new DeliveryFailed('no answer in time')),
  )
  let ended: Sent | DeliveryFailed
  try {
    // Frozen since it was claimed, this process may have been taken for dead, and another may have sent it.
    const { leases } = services
    if (!leases.isCurrent || leases.of(context.key) !== held.lease) throw new Interrupted(undefined)
    ended = await transport.send(outgoing, AbortSignal.any([stopped, limit.signal]))
  } catch (error) {
    if (limit.signal.aborted) ended = limit.signal.reason as DeliveryFailed
    else ended = stopped.aborted || state.connection !== connection ? new Interrupted(error) : failureOf(error)
  } finally {
    timer.cancel()
  }
  if (ended instanceof Interrupted) state.breaker.abandoned(destination)
  else if (ended instanceof DeliveryFailed && !ended.isFinal) state.breaker.failed(destination)
  else state.breaker.succeeded(destination)
  const durationMs = clock.elapsed() - startedMs
  const attempt = attemptOf(context, configured, delivery, ended)
  await recordAttempt(context, { ...attempt, delivery: delivery.id, lease: held.lease, at, durationMs }, stopped)
  services.feed.wake()
}

/** That it arrived must not be forgotten: retried after any error, until the channel stops. */
async function recordAttempt(
  { services, clock, random }: ChannelContext,
  attempt: Attempt,
  stopped: AbortSignal,
): Promise<void> {
  const { attempts, log } = services
  await retried(() => attempts.record(attempt), recordPolicy, {
    clock,
    random,
    signal: stopped,
    onRetry: (error, { attempt: tries }) =>
      log.warn({ err: error, delivery: attempt.delivery, tries }, 'the outcome of a delivery cannot be recorded yet'),
  })
}

/** We ended the attempt ourselves: nobody knows whether it arrived, and it says nothing of the receiver. It is sent again at once. */
class Interrupted extends DeliveryFailed {
  constructor(cause: unknown) {
    super('the channel was closed or opened anew while it was sent', { cause })
  }
}

function failureOf(error: unknown): DeliveryFailed {
  if (error instanceof DeliveryFailed) return error
  const cause = error instanceof Error ? error : new Error(String(error))
  const code = (cause as { code?: unknown }).code
  return new DeliveryFailed(typeof code === 'string' ? `${code}: ${cause.message}` : cause.message, { cause })
}

type Ended = Omit<Attempt, 'delivery' | 'lease' | 'at' | 'durationMs'>

function attemptOf(
  context: ChannelContext,
  configured: Channel,
  delivery: ClaimedDelivery,
  ended: Sent | DeliveryFailed,
): Ended {
  if (!(ended instanceof DeliveryFailed)) {
    return { outcome: 'delivered', status: 'delivered', error: null, nextAt: null, ...ended }
  }
  const tries = delivery.attempts + 1
  const isOver = ended.isFinal || tries >= configured.policy.attempts_max
  const isInterrupted = ended instanceof Interrupted
  const waitMs = isInterrupted ? 0 : Math.max(ended.retryAfterMs ?? 0, retryDelayMs(tries, context.random))
  return {
    outcome: isInterrupted ? 'unknown' : ended.isFinal ? 'refused' : 'failed',
    status: isOver ? 'undeliverable' : 'failed',
    statusCode: ended.statusCode,
    error: ended.message,
    receipt: null,
    nextAt: isOver ? null : new Date(context.clock.now() + waitMs),
  }
}

/** Random in part, so that answers that failed together do not come back together. */
function retryDelayMs(tries: number, random: Random): number {
  return retryCeiling.delayMs(tries, random) * (0.5 + random.next() / 2)
}

function outgoingOf(delivery: ClaimedDelivery): OutgoingDelivery {
  return {
    id: delivery.id,
    conversationId: delivery.conversationId,
    messageId: delivery.messageId,
    externalId: delivery.externalId,
    replyTo: delivery.replyTo,
    text: textOf(delivery.body),
    attempts: delivery.attempts,
    createdAt: delivery.createdAt,
  }
}

function textOf(body: unknown): string {
  const content = typeof body === 'object' && body !== null ? (body as { content?: unknown }).content : undefined
  return typeof content === 'string' ? content : JSON.stringify(content ?? '')
}
