/** A subscription as operators see it: never with its secret. */
import { z } from 'zod'
import { QuietHours } from '../../../actors/subscription/quiet-hours.ts'
import { SubscriptionId } from '../../../store/id.ts'
import type { OutboxState } from '../../../store/subscriptions/reads.ts'
import { type Subscription, SubscriptionKind } from '../../../store/subscriptions/subscriptions.ts'

export const SubscriptionView = z.object({
  id: SubscriptionId,
  name: z.string(),
  kind: SubscriptionKind,
  target: z.string().describe('The address that is posted to or mailed.'),
  event_kinds: z.array(z.string()),
  quiet_hours: QuietHours.nullable(),
  is_enabled: z.boolean(),
  has_secret: z.boolean(),
  outbox: z.object({
    state: z
      .enum(['healthy', 'retrying', 'failing'])
      .describe('retrying: something waits that has failed. failing: something was given up within a day.'),
    pending: z.int(),
    undeliverable: z.int().describe('Given up within a day.'),
    last_delivered_at: z.iso.datetime().nullable(),
    last_error: z.string().nullable().describe('Of the newest delivery that has not arrived.'),
  }),
  created_at: z.iso.datetime(),
  created_by: z.string(),
  updated_at: z.iso.datetime(),
})

export function viewOf(one: Subscription, state: OutboxState | undefined): z.infer<typeof SubscriptionView> {
  const { pending = 0, undeliverable = 0, lastDeliveredAt = null, lastReason = null } = state ?? {}
  const isFailing = undeliverable > 0
  return {
    id: one.id,
    name: one.name,
    kind: one.kind,
    target: one.target,
    event_kinds: one.eventKinds,
    quiet_hours: one.quietHours,
    is_enabled: one.isEnabled,
    has_secret: one.secretName !== null,
    outbox: {
      state: isFailing ? 'failing' : pending > 0 && lastReason !== null ? 'retrying' : 'healthy',
      pending,
      undeliverable,
      last_delivered_at: lastDeliveredAt?.toISOString() ?? null,
      last_error: lastReason,
    },
    created_at: one.createdAt.toISOString(),
    created_by: one.createdBy,
    updated_at: one.updatedAt.toISOString(),
  }
}
