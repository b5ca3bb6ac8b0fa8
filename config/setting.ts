/** What a setting is: its type, how its text becomes a value, its default, and when a change applies. */
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { parseDatabaseUrl, type ServerTarget } from './database-url.ts'
import { withoutPassword } from './url-password.ts'

/** restart: read at the start. live: the next use sees it. immediate: as live, and running parts are notified. */
export type ApplyMode = 'restart' | 'live' | 'immediate'

/** Where a value may come from. `store` ignores the environment; `environment` is needed before the store is open. */
export type Source = 'any' | 'store' | 'environment'

/** What a setting does, one sentence in each language. */
export interface Help {
  readonly en: string
  readonly ru: string
}

export interface Setting<Value> {
  readonly type: string
  /** Used when no value is set. */
  readonly default: string
  readonly apply: ApplyMode
  readonly help: Help
  readonly isSecret: boolean
  /** Others prove themselves to the service with it, so a new one has to be at least this long. */
  readonly charactersMin?: number
  readonly source: Source
  /**
   * Who may change it besides owners. `owner`: nobody, because it allows to run commands, read files, learn keys, reach other
   * workspaces or weaken protections.
   */
  readonly changedBy: 'owner' | 'admin'
  /** It belongs to a feature that this version does not have: it can be set, and nothing reads it. */
  readonly isUnused: boolean
  /** What a value may be, in words. */
  readonly allowed: string
  /** Of an enum: its values. */
  readonly options?: readonly string[]
  /** @throws SettingProblem */
  parse(text: string): Value
}

/** Why a text is not a value of its setting; `SettingRefused` adds the key. */
export class SettingProblem extends Error {
  override readonly name = 'SettingProblem'
}

/** Where a value was set that may be refused: defaults never are. */
export type RefusedOrigin = 'stored' | 'environment'

export class SettingRefused extends Error {
  override readonly name = 'SettingRefused'
  readonly code = 'setting_refused'
  readonly key: string
  readonly allowed: string
  /** Undefined: it is only about to be set. */
  readonly origin: RefusedOrigin | undefined
  constructor(
    key: string,
    allowed: string,
    refused: { text?: string | undefined; origin?: RefusedOrigin | undefined } = {},
  ) {
    const { text, origin } = refused
    super(
      `${key} ${text === undefined ? '' : `cannot be ${JSON.stringify(withoutPassword(text).slice(0, 100))}: it `}must be ${allowed}`,
    )
    this.key = key
    this.allowed = allowed
    this.origin = origin
  }
}

interface SettingOptions {
  apply: ApplyMode
  help: Help
  isSecret?: boolean
  source?: Source
  /** Absent: owners only. */
  changedBy?: 'admin'
}

function setting<Value>(
  options: SettingOptions,
  type: string,
  allowed: string,
  defaultText: string,
  parse: (text: string) => Value | undefined,
): Setting<Value> {
  return {
    type,
    default: defaultText,
    apply: options.apply,
    help: options.help,
    isSecret: options.isSecret ?? false,
    source: options.source ?? 'any',
    changedBy: options.changedBy ?? 'owner',
    isUnused: false,
    allowed,
    parse(text) {
      const value = parse(text.trim())
      if (value === undefined) throw new SettingProblem(allowed)
      return value
    },
  }
}

/** Settings of features to come: they keep their names and are checked, and nothing reads them yet. */
export function unused<Group extends Readonly<Record<string, Setting<unknown>>>>(group: Group): Group {
  return Object.fromEntries(Object.entries(group).map(([key, each]) => [key, { ...each, isUnused: true }])) as Group
}

const boolWords = new Map([
  ...['1', 'true', 'on', 'yes'].map((word) => [word, true] as const),
  ...['0', 'false', 'off', 'no'].map((word) => [word, false] as const),
])

export function bool(byDefault: boolean, options: SettingOptions): Setting<boolean> {
  return setting(options, 'bool', '1 or 0 (true, on, yes; false, off, no)', byDefault ? '1' : '0', (text) =>
    boolWords.get(text.toLowerCase()),
  )
}

/** On unless the value is exactly `off`: for a few switches that a typo must not switch off. */
export function onUnlessOff(options: SettingOptions): Setting<boolean> {
  return setting(options, 'bool', 'off, or anything else for on', '1', (text) => text.toLowerCase() !== 'off')
}

/** On only by exactly `1`. */
export function offUnlessOne(options: SettingOptions): Setting<boolean> {
  return setting(options, 'bool', 'exactly 1 to switch it on; anything else leaves it off', '0', (text) => text === '1')
}

interface WholeNumbers {
  min: number
  max: number
}

const inWords = ({ min, max }: WholeNumbers): string => `a whole number from ${min} to ${max}`

function wholeNumber(text: string, { min, max }: WholeNumbers): number | undefined {
  if (!/^-?\d{1,15}$/.test(text)) return undefined
  const value = Number(text)
  return value >= min && value <= max ? value : undefined
}

export function int(byDefault: number, limits: WholeNumbers, options: SettingOptions): Setting<number> {
  return setting(options, 'int', inWords(limits), String(byDefault), (text) =>
    text === '' ? byDefault : wholeNumber(text, limits),
  )
}

export function intOrAuto(
  byDefault: number | 'auto',
  limits: WholeNumbers,
  options: SettingOptions,
): Setting<number | 'auto'> {
  return setting(options, 'text', `${inWords(limits)}, or auto`, String(byDefault), (text) => {
    if (text === '') return byDefault
    return text === 'auto' ? text : wholeNumber(text, limits)
  })
}

/** A number that may be blank. */
export function optionalNumber(
  byDefault: string,
  limits: { min: number; max: number },
  options: SettingOptions,
): Setting<number | undefined> {
  const parsed = z.union([z.literal(''), z.coerce.number().min(limits.min).max(limits.max)])
  return withBlank(
    setting(options, 'number', `a number from ${limits.min} to ${limits.max}, or blank`, byDefault, (text) => {
      const result = parsed.safeParse(text)
      if (!result.success) return undefined
      return { value: result.data === '' ? undefined : result.data }
    }),
  )
}

function withBlank<Value>(inner: Setting<{ value: Value }>): Setting<Value> {
  return { ...inner, parse: (text) => inner.parse(text).value }
}

export function text(byDefault: string, options: SettingOptions, charactersMax = 100_000): Setting<string> {
  return setting(options, 'text', `text of at most ${charactersMax} characters`, byDefault, (value) =>
    value.length <= charactersMax && !value.includes('\0') ? value : undefined,
  )
}

export function timeZone(byDefault: string, options: SettingOptions): Setting<string> {
  return setting(options, 'text', 'an IANA time zone such as Europe/Berlin', byDefault, (value) => {
    try {
      return value === '' ? byDefault : new Intl.DateTimeFormat('en', { timeZone: value }) && value
    } catch {
      return undefined
    }
  })
}

/** Text of one pattern; blank: none. */
export function pattern(form: RegExp, allowed: string, options: SettingOptions): Setting<string> {
  return setting(options, 'text', `${allowed}, or blank`, '', (value) =>
    value === '' || form.test(value) ? value : undefined,
  )
}

export function secret(options: Omit<SettingOptions, 'isSecret'>): Setting<string> {
  return { ...text('', { ...options, isSecret: true }), type: 'secret' }
}

const ownSecretCharactersMin = 32

/** A secret that the service asks others for. A shorter one that is there already keeps working. */
export function ownSecret(options: Omit<SettingOptions, 'isSecret'>): Setting<string> {
  return {
    ...secret(options),
    charactersMin: ownSecretCharactersMin,
    allowed: `text of at least ${ownSecretCharactersMin} characters, or blank`,
  }
}

export function choice<const Options extends readonly [string, ...string[]]>(
  values: Options,
  byDefault: Options[number],
  options: SettingOptions,
  /** Used for an unknown value; absent: unknown values are refused. */
  coercedTo?: Options[number],
): Setting<Options[number]> {
  const named = values.map((value) => value || '(blank)').join(', ')
  const allowed = coercedTo === undefined ? `one of ${named}` : `one of ${named}; anything else counts as ${coercedTo}`
  const parse = (text: string) => values.find((value) => value === text.toLowerCase()) ?? coercedTo
  return { ...setting(options, 'enum', allowed, byDefault, parse), options: values }
}

/** Comma-separated names, trimmed, without empties. */
export function list(byDefault: string, options: SettingOptions): Setting<readonly string[]> {
  return setting(options, 'list', 'names separated by commas', byDefault, (value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  )
}

export function url(options: SettingOptions, protocols: readonly string[] = ['http:', 'https:']): Setting<string> {
  return setting(options, 'url', `an absolute address (${protocols.join(', ')}//…), or blank`, '', (value) => {
    if (value === '') return ''
    return URL.canParse(value) && protocols.includes(new URL(value).protocol) ? value : undefined
  })
}

/**
 * The address of a PostgreSQL database, of one server or several. It contains a password, so it is a secret.
 * @param options.targets which of several servers may be meant
 */
export function databaseUrl({
  targets,
  ...options
}: Omit<SettingOptions, 'isSecret'> & { targets: readonly ServerTarget[] }): Setting<string> {
  const allowed = 'an address such as postgres://user:password@host:5432/database, or blank'
  const several = `; several hosts are separated by commas, and target_session_attrs is one of ${targets.join(', ')}`
  const parse = (value: string): string | undefined => {
    if (value === '') return ''
    const found = parseDatabaseUrl(value)
    return found && (found.target === undefined || targets.includes(found.target)) ? value : undefined
  }
  return { ...setting({ ...options, isSecret: true }, 'url', `${allowed}${several}`, '', parse), type: 'secret' }
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds of `1h30m`, `2s`, `1500ms`; 0 for `0` and blank; undefined when it is none of these. */
export function durationMs(value: string): number | undefined {
  if (value === '' || value === '0') return 0
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(value)) return undefined
  let totalMs = 0
  for (const [, count = '', , unit = ''] of value.matchAll(/(\d+(\.\d+)?)(ms|s|m|h|d)/g)) {
    totalMs += Number(count) * (unitMs[unit] ?? 0)
  }
  return totalMs <= 366 * 86_400_000 ? totalMs : undefined
}

/** A duration in milliseconds; -1 for `forever`, where that is allowed. */
export function duration(
  byDefault: string,
  options: SettingOptions,
  { isForeverAllowed = false }: { isForeverAllowed?: boolean } = {},
): Setting<number> {
  const forever = isForeverAllowed ? ', or -1 for ever' : ''
  return setting(
    options,
    'duration',
    `a duration such as 30m, 2s or 1500ms, 0 or blank${forever}`,
    byDefault,
    (value) => (isForeverAllowed && value === '-1' ? -1 : durationMs(value)),
  )
}

/** A JSON object of this shape; blank: an empty one. */
export function json<Shape>(
  schema: z.ZodType<Shape>,
  blank: Shape,
  allowed: string,
  options: SettingOptions,
): Setting<Shape> {
  return setting(options, 'json', `${allowed}, as JSON, or blank`, '', (value) => {
    if (value === '') return blank
    try {
      return schema.safeParse(JSON.parse(value)).data
    } catch {
      return undefined
    }
  })
}

/** Networks and addresses in CIDR form, a single address being its own network. */
export function cidrs(options: SettingOptions): Setting<readonly string[]> {
  return setting(options, 'cidrs', 'IP addresses or CIDR networks separated by commas, or blank', '', (value) => {
    const networks: string[] = []
    for (const item of value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')) {
      if (ipaddr.isValidCIDR(item)) networks.push(item)
      else if (ipaddr.isValid(item)) networks.push(`${item}/${ipaddr.parse(item).kind() === 'ipv4' ? 32 : 128}`)
      else return undefined
    }
    return networks
  })
}

/** `host:port`, `:port`, or blank for none. */
export function listenAddress(byDefault: string, options: SettingOptions): Setting<string> {
  return setting(options, 'address', 'host:port or :port', byDefault, (value) => {
    const port = /^(?:\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]*):(\d{1,5})$/.exec(value)?.[1]
    return port !== undefined && Number(port) <= 65_535 ? value : undefined
  })
}
