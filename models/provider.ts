/** Which model backend the settings mean, and the model that it is asked for: for the transport and for whoever lists it. */
import type { Settings } from '../config/settings.ts'
import { demonstrationModelName } from './demonstration.ts'

export type ProviderKind = 'compatible' | 'native' | 'subscription' | 'demonstration'

export interface Provider {
  kind: ProviderKind
  /** Sent on every turn that was given to no other model; blank: the one that the request names. */
  model: string
  /** The value of SERVICE_LLM_PROVIDER, where it means nothing: it counts as blank. */
  unknownName?: string
}

export function providerOf(settings: Settings): Provider {
  const given = settings.get('SERVICE_LLM_PROVIDER').trim()
  const name = given.toLowerCase()
  const isKnown = name === '' || name === 'compatible' || name === 'subscription'
  const kind = name === 'subscription' ? name : byAddress(settings)
  return { kind, model: modelFor(kind, settings), ...(!isKnown && { unknownName: given }) }
}

function byAddress(settings: Settings): ProviderKind {
  if (settings.get('SERVICE_LLM_GATEWAY_URL') !== '') return 'compatible'
  return settings.get('SERVICE_NATIVE_API_KEY') === '' ? 'demonstration' : 'native'
}

function modelFor(kind: ProviderKind, settings: Settings): string {
  const model = settings.get('SERVICE_LLM_MODEL')
  switch (kind) {
    case 'compatible':
      return model
    case 'native':
      return settings.get('SERVICE_NATIVE_MODEL') || model
    case 'subscription':
      return settings.get('SERVICE_SUBSCRIPTION_MODEL') || model
    case 'demonstration':
      return demonstrationModelName
    default:
      return kind satisfies never
  }
}
