/** A subscription's outbox: what it is to be sent, by the loop that channels have too. It lives at the node that has its slot. */
import { exponential } from '../../runtime/time/backoff.ts'
import { minutes, ms, seconds } from '../../runtime/time/duration.ts'
import { SubscriptionId } from '../../store/id.ts'
import {
  type ClaimedNotice,
  claimNotices,
  expireNotices,
  type HeldSubscription,
  nextNoticeInMs,
  recordNotice,
  recoverNotices,
  releaseNotice,
} from '../../store/subscriptions/outbox.ts'
import type { Subscription } from '../../store/subscriptions/subscriptions.ts'
import { subscriptionById } from '../../store/subscriptions/subscriptions.ts'
import { breaker } from '../outbox/breaker.ts'
import type { Outbox, OutboxPolicy, OutboxState } from '../outbox/outbox.ts'
import { pace } from '../outbox/pace.ts'
import { type OutboxContext, pump } from '../outbox/pump.ts'
import { defineActor } from '../services.ts'

interface State extends OutboxState {
  /** Under which lease what an earlier start left under way was looked for. */
  recoveredLease: number | undefined
}

/** The waits between the attempts add up to between four and nine hours. */
export const policy: OutboxPolicy = { attempts_max: 16, deliveries_max: 8, rate_per_s: 10, send_timeout_s: 15 }

export const subscription = defineActor({
  kind: 'subscription',
  key: SubscriptionId,
  placement: 'slot',
  mailbox: { capacity: 256 },
  idle: minutes(10),
  supervision: { restarts: 20, withinMs: minutes(1), backoff: exponential(ms(100), seconds(10)) },
  start: ({ clock }): State => ({
    sending: 0,
    breaker: breaker(clock),
    pace: pace(clock),
    timer: undefined,
    recoveredLease: undefined,
  }),
  receive: {
    /** Something may be due. */
    async deliver(context, _message: object) {
      const { state, services, key } = context
      const hold = context.isDraining ? undefined : services.leases.hold(key)
      if (!hold) return
      try {
        const { lease } = hold
        const configured = await subscriptionById(services.db, key)
        if (!configured?.isEnabled) return
        const held = { key, node: services.leases.node, lease }
        if (state.recoveredLease !== lease && state.sending === 0) {
          const left = await recoverNotices(services.db, held, policy.attempts_max)
          state.recoveredLease = lease
          if (left > 0)
            services.log.warn({ subscription: key, deliveries: left }, 'deliveries of an earlier start are sent again')
        }
        await pump(context, outboxOf(context, configured, held))
      } finally {
        hold.release()
      }
    },
    /** An attempt has ended. */
    tried(context, _result: undefined) {
      context.state.sending--
      context.after(0, 'deliver', {})
    },
  },
})

function outboxOf(
  { services }: Pick<OutboxContext, 'services'>,
  configured: Subscription,
  held: HeldSubscription,
): Outbox<ClaimedNotice> {
  const { db, leases, notices, feed } = services
  const { key: id } = held
  return {
    policy,
    isHeld: () => leases.isCurrent && leases.of(id) === held.lease,
    isCurrent: () => true,
    async expire(limit, now) {
      if ((await expireNotices(db, held, limit, now)) > 0) feed.wake()
    },
    claim: (limit, now) => claimNotices(db, held, limit, now),
    release: (delivery, nextAt) => releaseNotice(db, held, delivery.id, nextAt),
    nextInMs: (now) => nextNoticeInMs(db, id, now),
    destinationOf: () => configured.target,
    send: (delivery, signal) => notices.send(configured, delivery, signal),
    async record(delivery, attempt) {
      await recordNotice(db, held, delivery.id, attempt)
      feed.wake()
    },
  }
}
