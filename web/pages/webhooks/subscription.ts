/** Subscriptions in the API, their state, and the kinds of events in words. */
import type { Answer, Body } from '../../api/types.ts'
import type { StateName } from '../../parts/state.tsx'
import type { Translate } from '../../text/text.ts'
import { kindsText } from './kinds-text.ts'

export type Subscriptions = Answer<'GET /v1/admin/subscriptions'>
export type Subscription = Subscriptions['items'][number]
export type Notice = Answer<'GET /v1/admin/subscriptions/deliveries'>['items'][number]
export type NewSubscription = Body<'POST /v1/admin/subscriptions'>
export type EventKind = NewSubscription['event_kinds'][number]

export type SubscriptionState = Subscription['outbox']['state'] | 'paused'
export const stateOf = ({ is_enabled, outbox }: Subscription): SubscriptionState =>
  is_enabled ? outbox.state : 'paused'
export const stateNames: Record<SubscriptionState, StateName> = {
  healthy: 'healthy',
  retrying: 'degraded',
  failing: 'failed',
  paused: 'paused',
}

export const isNoun = (kind: string): boolean => kind.endsWith('.*')
export const nounOf = (kind: string): string => `${kind.split('.')[0]}.*`

/** In words; one that has none yet as it is. */
export function kindText(kind: string, t: Translate<typeof kindsText.en>): string {
  return kind in kindsText.en ? t(kind as keyof typeof kindsText.en) : kind
}
