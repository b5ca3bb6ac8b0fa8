/** `service settings list|get|set|unset`: the catalogue with its present values, and changes to them. */
import type { Command } from 'commander'
import { isSettingKey, type SettingKey, settingKeys, settingOf, weaknessOf } from '../config/catalogue.ts'
import { openSettings, type SettingDescription } from '../config/settings.ts'
import { readPlainSettings, storeSetting, unstoreSetting } from '../store/settings/live-settings.ts'
import { readSettings, type StoredSetting } from '../store/settings/settings.ts'
import { type CommandStore, withStore } from './connect.ts'
import { CommandFailed, print, printTable, run } from './output.ts'
import { standardInput } from './standard-input.ts'

const valueBytesMax = 1_048_576

export function registerSettings(program: Command): void {
  const settings = program.command('settings').description('list and change settings')
  settings
    .command('list')
    .description('list every setting with its value, its origin, and whether a change is pending')
    .option('--json', 'as JSON')
    .action((options: { json?: boolean }) => run(() => list(options.json ?? false)))
  settings
    .command('get <key>')
    .description('show one setting')
    .action((key: string) => run(() => get(settingKey(key))))
  settings
    .command('set <key> <value>')
    .description('store a value; "-" reads it from standard input, which keeps a secret out of the shell’s history')
    .allowUnknownOption() // a certificate begins with dashes
    .action((key: string, value: string) => run(() => set(settingKey(key), value)))
  settings
    .command('unset <key>')
    .description('remove the stored value: the environment or the default applies again')
    .action((key: string) => run(() => unset(settingKey(key))))
}

/** @throws CommandFailed, with similar keys */
function settingKey(key: string): SettingKey {
  if (isSettingKey(key)) return key
  const similar = settingKeys
    .filter((candidate) => candidate.includes(key.toUpperCase().replace(/^SERVICE_/, '')))
    .slice(0, 5)
  throw new CommandFailed(
    `there is no setting ${key}${similar.length > 0 ? `; did you mean ${similar.join(', ')}?` : ''}`,
  )
}

export type Described = SettingDescription & { note: string }

async function describe(store: CommandStore): Promise<Described[]> {
  const stored = await readSettings(store.db)
  const settings = openSettings({
    environment: store.environment,
    stored: await readPlainSettings(store.db, store.masterKey),
  })
  return settings
    .describe()
    .map((description) => ({ ...description, ...noteOn(description, stored.get(description.key), store) }))
}

/** The running service is another process. What it has not applied yet is known by time: stored after its start, read only at a start. */
function noteOn(
  description: SettingDescription,
  stored: StoredSetting | undefined,
  store: CommandStore,
): { note: string; isPending: boolean } {
  const { serviceStartedAt } = store
  const isPending =
    description.apply === 'restart' &&
    stored !== undefined &&
    serviceStartedAt !== null &&
    stored.updatedAt > serviceStartedAt
  const notes = [
    description.isUnused && 'no effect in this version',
    isPending && 'applies after a restart',
    description.isEnvironmentHidden && 'overrides the environment',
    description.isEnvironmentIgnored && 'the environment is ignored for this setting',
  ]
  return { isPending, note: notes.filter((note) => note !== false).join('; ') }
}

function valueText(description: SettingDescription): string {
  if (typeof description.value === 'string') return description.value
  return description.value.isSet ? '(set)' : '(not set)'
}

async function list(isJson: boolean): Promise<void> {
  const all = await withStore(describe)
  if (isJson) return print(JSON.stringify(all, null, 2))
  for (const group of new Set(all.map((each) => each.group))) {
    print(`\n${group}`)
    printTable(
      all
        .filter((each) => each.group === group)
        .map((each) => [`  ${each.key}`, shortened(valueText(each)), each.origin, each.apply, each.note]),
    )
  }
}

function shortened(value: string): string {
  const line = value.replaceAll(/\s+/g, ' ')
  return line.length <= 60 ? line : `${line.slice(0, 57)}...`
}

async function get(key: SettingKey): Promise<void> {
  const all = await withStore(describe)
  const found = all.find((each) => each.key === key)
  if (!found) throw new CommandFailed(`there is no setting ${key}`)
  printTable([
    ['key', key],
    ['value', valueText(found)],
    ['origin', found.origin],
    ['default', found.default],
    ['applies', found.apply],
    ['allowed', found.allowed],
    ['help', found.help.en],
    ...(found.note ? [['note', found.note]] : []),
  ])
}

async function set(key: SettingKey, argument: string): Promise<void> {
  const setting = settingOf(key)
  if (setting.source === 'environment')
    throw new CommandFailed(`${key} can be set only in the environment: it is needed to reach the store`)
  const value = argument === '-' ? await standardInput(valueBytesMax) : argument
  const weakness = weaknessOf(key, value)
  if (weakness !== undefined) throw new CommandFailed(weakness)
  await withStore(async (store) => {
    await storeSetting(store.db, store.masterKey, key, value, 'command line')
    const overridesEnvironment = (store.environment[key] ?? '') !== '' && setting.source === 'any'
    print(`${key} is stored${effect(key, store)}${overridesEnvironment ? ' It overrides the environment.' : ''}`)
  })
}

async function unset(key: SettingKey): Promise<void> {
  await withStore(async (store) => {
    const wasStored = await unstoreSetting(store.db, key)
    print(wasStored ? `${key} is no longer stored${effect(key, store)}` : `${key} was not stored`)
  })
}

function effect(key: SettingKey, store: CommandStore): string {
  if (settingOf(key).isUnused) return '; this version does not have its feature, so it has no effect.'
  if (store.serviceStartedAt === null) return '; it applies from the next start.'
  return settingOf(key).apply === 'restart' ? '; it applies after a restart of the service.' : ' and applies at once.'
}
