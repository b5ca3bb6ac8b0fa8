/** The values in effect: the stored one, else the environment's, else the default; and when a change takes effect. */
import {
  groups,
  isSettingKey,
  parseSetting,
  type SettingKey,
  type SettingValue,
  settingKeys,
  settingOf,
  weaknessOf,
} from './catalogue.ts'
import { type ApplyMode, type Help, SettingRefused } from './setting.ts'
import { withoutPassword } from './url-password.ts'

export type Origin = 'stored' | 'environment' | 'default'

export interface SettingDescription {
  key: SettingKey
  group: string
  type: string
  help: Help
  allowed: string
  default: string
  apply: ApplyMode
  isSecret: boolean
  /** Nothing in this version reads it. */
  isUnused: boolean
  /** The text once all pending changes are applied, an address without its password; of a secret only whether it is set. */
  value: string | { isSet: boolean }
  origin: Origin
  /** The environment has a value, which the stored one overrides. */
  isEnvironmentHidden: boolean
  /** The environment has a value, which is ignored for this key. */
  isEnvironmentIgnored: boolean
  /** Changed since the start, and applied at the next one. */
  isPending: boolean
}

export interface Settings {
  /** The value in effect. Parsed once; cheap enough for every request. */
  get<Key extends SettingKey>(key: Key): SettingValue<Key>
  /** Applies the stored values: live ones at once, the others stay pending. Values that cannot be parsed are ignored and returned. */
  apply(stored: ReadonlyMap<string, string>): SettingRefused[]
  /** Called with the keys whose live values have changed. @returns unsubscribes */
  onChange(listener: (changed: ReadonlySet<SettingKey>) => void): () => void
  describe(): SettingDescription[]
  /** Of values in use that are too weak to be set anew: each a sentence that begins with the key. */
  weaknesses(): string[]
}

/** All values that were refused. */
export class SettingsRefused extends Error {
  override readonly name = 'SettingsRefused'
  readonly code = 'settings_refused'
  readonly refusals: readonly SettingRefused[]
  constructor(refusals: readonly SettingRefused[]) {
    super(refusals.map((refusal) => refusal.message).join('; '))
    this.refusals = refusals
  }
}

export type Environment = Readonly<Record<string, string | undefined>>

interface Resolved {
  text: string
  origin: Origin
  value: unknown
}

/**
 * @param stored plain text by key, already unsealed
 * @throws SettingsRefused with every refused value of the environment and the store
 */
export function openSettings(options: { environment: Environment; stored: ReadonlyMap<string, string> }): Settings {
  const { environment } = options
  const listeners = new Set<(changed: ReadonlySet<SettingKey>) => void>()
  const refusals: SettingRefused[] = []
  let wanted = resolveAll(environment, options.stored, refusals)
  if (refusals.length > 0) throw new SettingsRefused(refusals)
  const current = new Map(wanted)

  return {
    get<Key extends SettingKey>(key: Key) {
      return current.get(key)?.value as SettingValue<Key>
    },
    apply(stored) {
      const problems: SettingRefused[] = []
      const next = resolveAll(environment, stored, problems, wanted)
      wanted = next
      const changed = new Set<SettingKey>()
      for (const key of settingKeys) {
        const resolved = next.get(key)
        if (settingOf(key).apply === 'restart' || !resolved || resolved.text === current.get(key)?.text) continue
        current.set(key, resolved)
        changed.add(key)
      }
      if (changed.size > 0) for (const listener of listeners) listener(changed)
      return problems
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    weaknesses: () => [...current].flatMap(([key, { text }]) => weaknessOf(key, text) ?? []),
    describe: () => describeAll(environment, wanted, current),
  }
}

/** @param before used where a stored value cannot be parsed */
function resolveAll(
  environment: Environment,
  stored: ReadonlyMap<string, string>,
  refusals: SettingRefused[],
  before?: ReadonlyMap<SettingKey, Resolved>,
): Map<SettingKey, Resolved> {
  const all = new Map<SettingKey, Resolved>()
  for (const key of settingKeys) {
    try {
      all.set(key, resolve(key, environment, stored))
    } catch (error) {
      if (!(error instanceof SettingRefused)) throw error
      refusals.push(error)
      const fallback = before?.get(key)
      if (fallback) all.set(key, fallback)
    }
  }
  return all
}

function resolve(key: SettingKey, environment: Environment, stored: ReadonlyMap<string, string>): Resolved {
  const setting = settingOf(key)
  const kept = setting.source === 'environment' ? undefined : stored.get(key)
  if (kept !== undefined) return { text: kept, origin: 'stored', value: parseSetting(key, kept, 'stored') }
  const variable = setting.source === 'store' ? undefined : environment[key]
  // An empty variable is how compose files and unit files say "not set".
  if (variable !== undefined && variable !== '')
    return { text: variable, origin: 'environment', value: parseSetting(key, variable, 'environment') }
  return { text: setting.default, origin: 'default', value: parseSetting(key, setting.default) }
}

function describeAll(
  environment: Environment,
  wanted: ReadonlyMap<SettingKey, Resolved>,
  current: ReadonlyMap<SettingKey, Resolved>,
): SettingDescription[] {
  return Object.entries(groups).flatMap(([group, settings]) =>
    Object.keys(settings).flatMap((key) => {
      const resolved = isSettingKey(key) ? wanted.get(key) : undefined
      if (!isSettingKey(key) || !resolved) return []
      const setting = settingOf(key)
      const isInEnvironment = (environment[key] ?? '') !== ''
      return [
        {
          key,
          group,
          type: setting.type,
          help: setting.help,
          allowed: setting.allowed,
          default: setting.default,
          apply: setting.apply,
          isSecret: setting.isSecret,
          isUnused: setting.isUnused,
          value: setting.isSecret ? { isSet: resolved.text !== '' } : withoutPassword(resolved.text),
          origin: resolved.origin,
          isEnvironmentHidden: isInEnvironment && resolved.origin === 'stored' && setting.source === 'any',
          isEnvironmentIgnored: isInEnvironment && setting.source === 'store',
          isPending: resolved.text !== current.get(key)?.text,
        },
      ]
    }),
  )
}

export type { SettingKey, SettingValue }
