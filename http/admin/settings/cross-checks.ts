/** What no setting can see by itself: values that are each allowed and cannot be together. */
import type { SettingKey } from '../../../config/catalogue.ts'
import type { Settings } from '../../../config/settings.ts'
import { providerOf } from '../../../models/provider.ts'
import { parseListenAddress } from '../../server/listen-address.ts'

export interface CrossProblem {
  /** Those that it is about, the one to mend first. */
  keys: readonly SettingKey[]
  message: string
}

type Check = (settings: Settings) => CrossProblem | undefined

const checks: readonly Check[] = [
  function listenersApart(settings) {
    if (!settings.get('SERVICE_WEBUI_ENABLED')) return undefined
    const gateway = parseListenAddress(settings.get('SERVICE_GATEWAY_ADDR'))
    const ui = parseListenAddress(settings.get('SERVICE_WEBUI_ADDR'))
    const isShared = gateway.port === ui.port && (gateway.host === ui.host || gateway.host === '' || ui.host === '')
    if (gateway.port === 0 || !isShared) return undefined
    return {
      keys: ['SERVICE_WEBUI_ADDR', 'SERVICE_GATEWAY_ADDR', 'SERVICE_WEBUI_ENABLED'],
      message: `The gateway and the admin UI cannot both listen on port ${ui.port}.`,
    }
  },
  function nativeHasAddress(settings) {
    if (providerOf(settings).kind !== 'native' || settings.get('SERVICE_NATIVE_BASE_URL') !== '') return undefined
    return {
      keys: ['SERVICE_NATIVE_BASE_URL', 'SERVICE_NATIVE_API_KEY', 'SERVICE_LLM_GATEWAY_URL', 'SERVICE_LLM_PROVIDER'],
      message: 'The native backend would be chosen and has no address: every call to it would be refused.',
    }
  },
  function subscriptionHasAddress(settings) {
    if (providerOf(settings).kind !== 'subscription' || settings.get('SERVICE_SUBSCRIPTION_BASE_URL') !== '')
      return undefined
    return {
      keys: ['SERVICE_SUBSCRIPTION_BASE_URL', 'SERVICE_LLM_PROVIDER'],
      message: 'The subscription backend would be chosen and has no address: every call to it would be refused.',
    }
  },
]

export function crossProblems(settings: Settings): CrossProblem[] {
  return checks.flatMap((check) => check(settings) ?? [])
}
