/** A channel while it is edited: its fields, the secrets that were typed, and what of it goes to the service. */
import type { Answer, Body } from '../../api/types.ts'
import { type AdapterName, configOf, type Draft, draftOf, isAdapter } from './adapter-fields.ts'

export type Channel = Answer<'GET /v1/admin/channels/{name}'>
export type Policy = Channel['policy']
export type Changes = Body<'PATCH /v1/admin/channels/{name}'>

export interface ChannelForm {
  /** Undefined: a kind that this page has no form for; its configuration is left as it is. */
  adapter: AdapterName | undefined
  config: Draft
  policy: Policy
  /** Typed values; null removes. What is not here stays. */
  secrets: Readonly<Record<string, string | null>>
}

/** As the service has them when nothing is said. */
export const defaultPolicy: Policy = {
  agent: 'default',
  turns_max: 64,
  backlog_max: 10_000,
  answers: 'each',
  attempts_max: 12,
  age_max_s: 86_400,
  deliveries_max: 16,
  rate_per_s: 100,
  send_timeout_s: 15,
}

export function newForm(adapter: AdapterName): ChannelForm {
  return { adapter, config: draftOf(adapter, undefined), policy: defaultPolicy, secrets: {} }
}

export function formOf({ adapter, config, policy }: Channel): ChannelForm {
  const known = isAdapter(adapter) ? adapter : undefined
  return { adapter: known, config: known ? draftOf(known, config) : {}, policy, secrets: {} }
}

const text = (value: unknown): string => JSON.stringify(value)

/** Only what differs: what somebody else changed meanwhile stays. */
export function changesOf(before: ChannelForm, now: ChannelForm): Changes {
  const config = (form: ChannelForm) => (form.adapter ? configOf(form.adapter, form.config) : {})
  const policy = Object.entries(now.policy).filter(([name, value]) => before.policy[name as keyof Policy] !== value)
  const secrets = Object.entries(now.secrets).filter(([, value]) => value !== '')
  return {
    ...(text(config(before)) !== text(config(now)) && { config: config(now) }),
    ...(policy.length > 0 && { policy: Object.fromEntries(policy) }),
    ...(secrets.length > 0 && { secrets: Object.fromEntries(secrets) }),
  }
}

export const hasChanges = (changes: Changes): boolean => Object.keys(changes).length > 0

export function isConfiguredOtherwise(one: Channel, other: Channel): boolean {
  const of = ({ config, policy, secrets }: Channel) => text([config, policy, secrets])
  return of(one) !== of(other)
}
