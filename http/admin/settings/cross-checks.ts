/** Checks of settings against each other: values that are each allowed, but contradict each other. */
import type { SettingKey } from '../../../config/catalogue.ts'
import type { Settings } from '../../../config/settings.ts'
import { chosenProvider } from '../../../models/providers.ts'
import { parseListenAddress } from '../../server/listen-address.ts'

export interface CrossProblem {
  /** The settings concerned, the one to correct first. */
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
  function modelHasAddress(settings) {
    const { kind, settingKeys, choosingKeys } = chosenProvider(settings).provider
    if (!settingKeys || settings.get(settingKeys.url) !== '') return undefined
    return {
      keys: [settingKeys.url, ...choosingKeys],
      message: `The ${kind} backend would be used, but has no address: every call would fail.`,
    }
  },
]

export function crossProblems(settings: Settings): CrossProblem[] {
  return checks.flatMap((check) => check(settings) ?? [])
}
