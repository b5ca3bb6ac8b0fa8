/** `service settings list|get|set|unset`: the catalogue with what counts, and changes to it. */
import type { Command } from 'commander'
import { isSettingKey, type SettingKey, settingKeys, settingOf } from '../config/catalogue.ts'
import { openSettings, type SettingDescription } from '../config/settings.ts'
import { readPlainSettings, storeSetting, unstoreSetting } from '../store/settings/live-settings.ts'
import { readSettings, type StoredSetting } from '../store/settings/settings.ts'
import { type CommandStore, withStore } from './connect.ts'
import { CommandFailed, print, printTable, run } from './output.ts'

const secretBytesMax = 1_048_576

export function registerSettings(program: Command): void {
  const settings = program.command('settings').description('what can be set, what is set, and how to change it')
  settings
    .command('list')
    .description('every setting with its value, where it comes from, and what is pending')
    .option('--json', 'as JSON')
    .action((options: { json?: boolean }) => run(() => list(options.json ?? false)))
  settings
    .command('get <key>')
    .description('one setting')
    .action((key: string) => run(() => get(known(key))))
  settings
    .command('set <key> <value>')
    .description('store a value; "-" reads it from standard input, so that a secret stays out of the shell’s history')
    .allowUnknownOption() // a certificate begins with dashes
    .action((key: string, value: string) => run(() => set(known(key), value)))
  settings
    .command('unset <key>')
    .description('forget the stored value: the environment or the default counts again')
    .action((key: string) => run(() => unset(known(key))))
}

/** @throws CommandFailed, with what was probably meant */
function known(key: string): SettingKey {
  if (isSettingKey(key)) return key
  const alike = settingKeys
    .filter((candidate) => candidate.includes(key.toUpperCase().replace(/^SERVICE_/, '')))
    .slice(0, 5)
  throw new CommandFailed(`there is no setting ${key}${alike.length > 0 ? `; is it one of ${alike.join(', ')}?` : ''}`)
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

/** What this process sees says nothing of the running one but by time: stored after its start, and read only at a start. */
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
    isPending && 'counts after a restart',
    description.isEnvironmentHidden && 'hides a value of the environment',
    description.isEnvironmentIgnored && 'the environment is not asked for this one',
  ]
  return { isPending, note: notes.filter((note) => note !== false).join('; ') }
}

function shownValue(description: SettingDescription): string {
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
        .map((each) => [`  ${each.key}`, shortened(shownValue(each)), each.origin, each.apply, each.note]),
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
    ['value', shownValue(found)],
    ['origin', found.origin],
    ['default', found.default],
    ['applies', found.apply],
    ['may be', found.allowed],
    ['is for', found.help.en],
    ...(found.note ? [['note', found.note]] : []),
  ])
}

async function set(key: SettingKey, given: string): Promise<void> {
  const setting = settingOf(key)
  if (setting.source === 'environment')
    throw new CommandFailed(`${key} can be set in the environment only: it is needed to reach the store`)
  const value = given === '-' ? await standardInput() : given
  await withStore(async (store) => {
    await storeSetting(store.db, store.masterKey, key, value, 'command line')
    const isHidden = (store.environment[key] ?? '') !== '' && setting.source === 'any'
    print(`${key} is stored${effect(key, store)}${isHidden ? ' It hides the value of the environment.' : ''}`)
  })
}

async function unset(key: SettingKey): Promise<void> {
  await withStore(async (store) => {
    const wasStored = await unstoreSetting(store.db, key)
    print(wasStored ? `${key} is no longer stored${effect(key, store)}` : `${key} was not stored`)
  })
}

function effect(key: SettingKey, store: CommandStore): string {
  if (store.serviceStartedAt === null) return '; it counts from the next start.'
  return settingOf(key).apply === 'restart' ? '; it counts after a restart of the service.' : ' and counts at once.'
}

async function standardInput(): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of process.stdin as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > secretBytesMax) throw new CommandFailed(`a value may have ${secretBytesMax} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts)
    .toString('utf8')
    .replace(/\r?\n$/, '')
}
