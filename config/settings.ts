/** The values that count: what is stored, over the environment, over the default; and what a change does when. */
import {
  groups,
  isSettingKey,
  parseSetting,
  type SettingKey,
  type SettingValue,
  settingKeys,
  settingOf,
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
  /** The text that counts once everything pending is applied, an address without its password; of a secret only whether it is set. */
  value: string | { isSet: boolean }
  origin: Origin
  /** The environment names a value that the stored one hides. */
  isEnvironmentHidden: boolean
  /** The environment names a value, and for this key it is not asked. */
  isEnvironmentIgnored: boolean
  /** Changed since the start, and counts only after the next one. */
  isPending: boolean
}

export interface Settings {
  /** The value that counts now. Parsed once; cheap enough for every request. */
  get<Key extends SettingKey>(key: Key): SettingValue<Key>
  /** Takes the stored values anew: live ones count at once, the others are pending. What cannot be parsed is ignored and returned. */
  apply(stored: ReadonlyMap<string, string>): SettingRefused[]
  /** Hears which live values changed, after they did. Returns how to stop. */
  onChange(listener: (changed: ReadonlySet<SettingKey>) => void): () => void
  describe(): SettingDescription[]
}

/** Several values at once that cannot be. */
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
 * @throws SettingsRefused with every value of the environment or the store that cannot be
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
    describe: () => describeAll(environment, wanted, current),
  }
}

/** @param before what counts where a stored value cannot be parsed */
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
  if (kept !== undefined) return { text: kept, origin: 'stored', value: parseSetting(key, kept) }
  const given = setting.source === 'store' ? undefined : environment[key]
  // An empty variable is how compose files and unit files say "not set".
  if (given !== undefined && given !== '')
    return { text: given, origin: 'environment', value: parseSetting(key, given) }
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
