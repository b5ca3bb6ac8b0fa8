/** A channel while it is edited: its fields, the secrets that were typed, and what of it goes to the service. */
import type { Answer, Body, ChannelAdapter } from '../../api/types.ts'
import { configOf, type Draft, draftOf } from './adapter-form.ts'

export type Channel = Answer<'GET /v1/admin/channels/{name}'>
export type Policy = Channel['policy']
export type Changes = Body<'PATCH /v1/admin/channels/{name}'>

export interface ChannelForm {
  /** Undefined: the service has no form for this kind any more; the configuration is left as it is. */
  adapter: ChannelAdapter | undefined
  config: Draft
  policy: Policy
  /** Typed values; null removes. A secret that is not named here stays. */
  secrets: Readonly<Record<string, string | null>>
}

/** The service's defaults. */
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

export function newForm(adapter: ChannelAdapter | undefined): ChannelForm {
  return { adapter, config: adapter ? draftOf(adapter.fields, undefined) : {}, policy: defaultPolicy, secrets: {} }
}

export function formOf(channel: Channel, adapters: readonly ChannelAdapter[]): ChannelForm {
  const adapter = adapters.find(({ name }) => name === channel.adapter)
  const config = adapter ? draftOf(adapter.fields, channel.config) : {}
  return { adapter, config, policy: channel.policy, secrets: {} }
}

const text = (value: unknown): string => JSON.stringify(value)

/** Only what differs, so that somebody else's changes stay. */
export function changesOf(before: ChannelForm, now: ChannelForm): Changes {
  const config = (form: ChannelForm) => (form.adapter ? configOf(form.adapter.fields, form.config) : {})
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
