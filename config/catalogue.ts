/** Every setting, by group: one line a group here, one entry a setting in its file. */

import { agent, reasoning, systemPrompt } from './groups/agent.ts'
import { alerts } from './groups/alerts.ts'
import { api } from './groups/api.ts'
import { channels } from './groups/channels.ts'
import { integrations } from './groups/integrations.ts'
import { knowledge, llm } from './groups/llm.ts'
import { media, voice } from './groups/media.ts'
import { memory } from './groups/memory.ts'
import { moderation } from './groups/moderation.ts'
import { limits, processGroup } from './groups/process.ts'
import { publicAccess } from './groups/public-access.ts'
import { security, tools } from './groups/security.ts'
import { ldap, oidc, saml } from './groups/sso.ts'
import { webUi } from './groups/web-ui.ts'
import { type RefusedOrigin, type Setting, SettingProblem, SettingRefused } from './setting.ts'

/** Groups in the order that lists show them. */
export const groups = {
  API: api,
  Agent: agent,
  'Agent: reasoning': reasoning,
  'Agent: system prompt': systemPrompt,
  Channels: channels,
  Integrations: integrations,
  'Knowledge connectors': knowledge,
  LLM: llm,
  Media: media,
  'Media: voice': voice,
  Memory: memory,
  Moderation: moderation,
  'Public access': publicAccess,
  'SSO: LDAP / directory': ldap,
  'SSO: OIDC': oidc,
  'SSO: SAML': saml,
  Security: security,
  Tools: tools,
  'Web UI': webUi,
  Process: processGroup,
  Limits: limits,
  Alerts: alerts,
} as const

type Merged<Groups> = Groups extends unknown ? (group: Groups) => void : never
type Catalogue = Merged<(typeof groups)[keyof typeof groups]> extends (all: infer All) => void ? All : never

const catalogue = Object.assign({}, ...Object.values(groups)) as Catalogue

export type SettingKey = keyof typeof catalogue
export type SettingValue<Key extends SettingKey> = (typeof catalogue)[Key] extends Setting<infer Value> ? Value : never

export const settingKeys = Object.keys(catalogue) as SettingKey[]

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(catalogue, key)
}

export function settingOf(key: SettingKey): Setting<unknown> {
  return catalogue[key]
}

/** Why a value that could be used is too weak to be set anew. */
export function weaknessOf(key: SettingKey, text: string): string | undefined {
  const { charactersMin = 0 } = settingOf(key)
  const { length } = text.trim()
  if (length === 0 || length >= charactersMin) return undefined
  return `${key} must have at least ${charactersMin} characters, or be blank: a shorter one can be guessed`
}

/** @throws SettingRefused, which says what is allowed; a secret's text is never in it */
export function parseSetting<Key extends SettingKey>(
  key: Key,
  text: string,
  origin?: RefusedOrigin,
): SettingValue<Key> {
  const setting = settingOf(key)
  try {
    return setting.parse(text) as SettingValue<Key>
  } catch (error) {
    if (!(error instanceof SettingProblem)) throw error
    throw new SettingRefused(key, setting.allowed, { text: setting.isSecret ? undefined : text, origin })
  }
}
