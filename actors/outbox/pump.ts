/** The loop of an outbox: deliveries that are due are claimed, attempted within its limits, and recorded; failures wait and are retried. */
import type { ActorContext } from '../../runtime/actor/define.ts'
import type { Random } from '../../runtime/random.ts'
import { exponential } from '../../runtime/time/backoff.ts'
import { minutes, ms, seconds } from '../../runtime/time/duration.ts'
import { type RetryPolicy, retried } from '../../runtime/time/retried.ts'
import { DatabaseDown } from '../../store/errors.ts'
import { DeliveryFailed, type Sent } from '../channel/adapter.ts'
import type { Services } from '../services.ts'
import type { AttemptEnd, Delivery, Outbox, OutboxState } from './outbox.ts'

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
/** While it is not known that the slot is this node's. */
const checkMsUnheld = ms(200)

/** The actor takes `deliver` (look again) and `tried` (an attempt has ended). */
export type OutboxContext = ActorContext<string, OutboxState, Services>

/** Claims what is due and starts an attempt of each. */
export async function pump<Claimed extends Delivery>(context: OutboxContext, outbox: Outbox<Claimed>): Promise<void> {
  try {
    await sendDue(context, outbox)
  } catch (error) {
    if (!(error instanceof DatabaseDown)) throw error
    context.state.timer?.cancel()
    context.state.timer = context.after(checkMsAway, 'deliver', {})
  }
}

async function sendDue<Claimed extends Delivery>(context: OutboxContext, outbox: Outbox<Claimed>): Promise<void> {
  const { state } = context
  const { deliveries_max, rate_per_s } = outbox.policy
  const now = new Date(context.clock.now())
  if (!outbox.isHeld()) {
    state.timer?.cancel()
    state.timer = context.after(checkMsUnheld, 'deliver', {})
    return
  }
  await outbox.expire(expiredMax, now)
  const places = state.pace.take(deliveries_max - state.sending, rate_per_s)
  const claimed = places > 0 ? await outbox.claim(places, now) : []
  state.pace.take(claimed.length - places, rate_per_s)
  const resting: { delivery: Claimed; restMs: number }[] = []
  for (const delivery of claimed) {
    const restMs = state.breaker.restMs(outbox.destinationOf(delivery))
    if (restMs > 0) resting.push({ delivery, restMs })
    else start(context, outbox, delivery)
  }
  for (const { delivery, restMs } of resting) {
    await outbox.release(delivery, new Date(context.clock.now() + restMs))
  }
  await scheduleNext(context, outbox, { places, claimed: claimed.length })
}

/** When all places are used, the end of an attempt is the next check; else it is when the next delivery becomes due. */
async function scheduleNext<Claimed extends Delivery>(
  context: OutboxContext,
  outbox: Outbox<Claimed>,
  { places, claimed }: { places: number; claimed: number },
): Promise<void> {
  const { state } = context
  state.timer?.cancel()
  state.timer = undefined
  if (places === 0 && state.sending > 0) return
  const waitMs =
    places === 0 || claimed === places
      ? state.pace.waitMs(outbox.policy.rate_per_s)
      : await outbox.nextInMs(new Date(context.clock.now()))
  if (waitMs === null) return
  const boundedMs = Math.min(checkMsMax, Math.max(checkMsMin, waitMs))
  state.timer = context.after(boundedMs, 'deliver', {})
}

function start<Claimed extends Delivery>(context: OutboxContext, outbox: Outbox<Claimed>, delivery: Claimed): void {
  context.state.sending++
  // Its channel or subscription is not handed over before it has ended.
  const hold = context.services.leases.hold(context.key)
  const work = (stopped: AbortSignal) => attempt(context, outbox, { delivery, stopped })
  context.task((stopped) => work(stopped).finally(() => hold?.release()), 'tried')
}

async function attempt<Claimed extends Delivery>(
  context: OutboxContext,
  outbox: Outbox<Claimed>,
  { delivery, stopped }: { delivery: Claimed; stopped: AbortSignal },
): Promise<void> {
  const { state, clock } = context
  const destination = outbox.destinationOf(delivery)
  // Frozen since it was claimed, this process may have been taken for dead, and another may have sent it: that is no attempt.
  if (!outbox.isHeld()) {
    state.breaker.abandoned(destination)
    const release = () => outbox.release(delivery, new Date(clock.now() + checkMsUnheld))
    await recordAttempt(context, { record: release, id: delivery.id, stopped })
    return
  }
  const at = new Date(clock.now())
  const startedMs = clock.elapsed()
  const limit = new AbortController()
  const timer = clock.after(outbox.policy.send_timeout_s * 1_000, () =>
    limit.abort(new DeliveryFailed('no answer in time')),
  )
  let ended: Sent | DeliveryFailed
  try {
    ended = await outbox.send(delivery, AbortSignal.any([stopped, limit.signal]))
  } catch (error) {
    if (limit.signal.aborted) ended = limit.signal.reason as DeliveryFailed
    else ended = stopped.aborted || !outbox.isCurrent() ? new Interrupted(error) : failureOf(error)
  } finally {
    timer.cancel()
  }
  if (ended instanceof Interrupted) state.breaker.abandoned(destination)
  else if (ended instanceof DeliveryFailed && !ended.isFinal) state.breaker.failed(destination)
  else state.breaker.succeeded(destination)
  const durationMs = clock.elapsed() - startedMs
  const end = { ...endOf(context, outbox, { delivery, ended }), at, durationMs }
  await recordAttempt(context, { record: () => outbox.record(delivery, end), id: delivery.id, stopped })
}

/** That it arrived must not be forgotten: retried after any error, until the actor stops. */
async function recordAttempt(
  { services, clock, random }: OutboxContext,
  { record, id, stopped }: { record: () => Promise<void>; id: string; stopped: AbortSignal },
): Promise<void> {
  await retried(record, recordPolicy, {
    clock,
    random,
    signal: stopped,
    onRetry: (error, { attempt: tries }) =>
      services.log.warn({ err: error, delivery: id, tries }, 'the outcome of a delivery cannot be recorded yet'),
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

function endOf<Claimed extends Delivery>(
  context: OutboxContext,
  outbox: Outbox<Claimed>,
  { delivery, ended }: { delivery: Claimed; ended: Sent | DeliveryFailed },
): Omit<AttemptEnd, 'at' | 'durationMs'> {
  if (!(ended instanceof DeliveryFailed)) {
    return { outcome: 'delivered', status: 'delivered', error: null, nextAt: null, ...ended }
  }
  const tries = delivery.attempts + 1
  const isOver = ended.isFinal || tries >= outbox.policy.attempts_max
  const isInterrupted = ended instanceof Interrupted
  const waitMs = isInterrupted
    ? 0
    : Math.max(ended.retryAfterMs ?? 0, retryDelayMs(delivery.failures + 1, context.random))
  return {
    outcome: isInterrupted ? 'unknown' : ended.isFinal ? 'refused' : 'failed',
    status: isOver ? 'undeliverable' : 'failed',
    statusCode: ended.statusCode,
    error: ended.message,
    receipt: null,
    nextAt: isOver ? null : new Date(context.clock.now() + waitMs),
  }
}

/**
 * Random in part, so that answers that failed together do not come back together.
 * @param failures attempts that the service itself cut off are none: they say nothing of the receiver
 */
function retryDelayMs(failures: number, random: Random): number {
  return retryCeiling.delayMs(failures, random) * (0.5 + random.next() / 2)
}
