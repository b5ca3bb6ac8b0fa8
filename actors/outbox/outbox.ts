/** What an outbox sends, and by which rules: the one loop (`pump.ts`) works for channels and for subscriptions. */
import type { Timer } from '../../runtime/time/clock.ts'
import type { Attempt } from '../../store/deliveries/deliveries.ts'
import type { Sent } from '../channel/adapter.ts'
import type { Breaker } from './breaker.ts'
import type { Pace } from './pace.ts'

export interface OutboxPolicy {
  attempts_max: number
  deliveries_max: number
  rate_per_s: number
  send_timeout_s: number
}

/** In the memory of the actor that has the outbox. */
export interface OutboxState {
  sending: number
  breaker: Breaker
  pace: Pace
  /** For the next delivery that becomes due. */
  timer: Timer | undefined
}

export interface Delivery {
  id: string
  /** Since an operator last retried it: attempts that did not deliver it, and those of them that failed by the receiver. */
  attempts: number
  failures: number
}

export type AttemptEnd = Omit<Attempt, 'delivery' | 'lease'>

/** One lease of it: all that is claimed, sent and recorded by it counts only while that lasts. */
export interface Outbox<Claimed extends Delivery> {
  readonly policy: OutboxPolicy
  /** False: another node has the slot by now. */
  isHeld(): boolean
  /** False: what sends was closed or opened anew meanwhile, and how an attempt ended says nothing of the receiver. */
  isCurrent(): boolean
  expire(limit: number, now: Date): Promise<void>
  claim(limit: number, now: Date): Promise<Claimed[]>
  release(delivery: Claimed, nextAt: Date): Promise<void>
  /** Null: nothing waits. */
  nextInMs(now: Date): Promise<number | null>
  /** The key of the circuit breaker. */
  destinationOf(delivery: Claimed): string
  /** @throws DeliveryFailed; anything else counts as a failure that may be retried */
  send(delivery: Claimed, signal: AbortSignal): Promise<Sent>
  record(delivery: Claimed, attempt: AttemptEnd): Promise<void>
}
