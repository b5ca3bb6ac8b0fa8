/** The catalogue of settings as clients see it: what is stored or given, what counts, and what still waits for a restart. */
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type SettingKey, settingOf } from '../../../config/catalogue.ts'
import { type SettingDescription, type Settings, SettingsRefused } from '../../../config/settings.ts'
import { plainSettings } from '../../../store/settings/live-settings.ts'
import { readSettings, type StoredSetting } from '../../../store/settings/settings.ts'
import type { App } from '../../app.ts'

export const SettingView = z.object({
  key: z.string(),
  group: z.string(),
  type: z.string(),
  help: z.string(),
  help_ru: z.string(),
  allowed: z.string().describe('What a value may be, in words.'),
  options: z.array(z.string()).nullable().describe('Of an enum: its values.'),
  default: z.string(),
  apply: z.enum(['restart', 'live', 'immediate']),
  secret: z.boolean(),
  value: z
    .string()
    .nullable()
    .describe('The text that counts once nothing is pending; passwords in addresses hidden; null for a secret.'),
  is_set: z.boolean(),
  origin: z.enum(['stored', 'environment', 'default']),
  owner_only: z.boolean().describe('Only an owner changes it, or a key with every scope.'),
  environment_only: z.boolean().describe('It is needed before the store is open, so that it cannot be stored.'),
  environment_hidden: z.boolean().describe('The environment names a value, and the stored one hides it.'),
  environment_ignored: z.boolean().describe('The environment names a value, and for this key it is not asked.'),
  pending_restart: z.boolean().describe('What runs has read another value at its start.'),
  stored_at: z.iso.datetime().nullable(),
  problem: z.string().nullable().describe('Why the stored text cannot be; something else counts in its place.'),
})
export type SettingView = z.infer<typeof SettingView>

/** As the store has them now, even where this process has not learned of a change yet; `next` is what a start would read. */
export async function settingViews(app: App): Promise<{ views: SettingView[]; next: Settings }> {
  const stored = await readSettings(app.db)
  const { next, problems } = nextStart(
    app,
    plainSettings(stored, () => app.masterKey()),
  )
  const views = next
    .describe()
    .map((description) => viewOf(app.settings, next, description, stored.get(description.key), problems))
  return { views, next }
}

/** What a start would read now; stored texts that cannot be are left out and told. */
function nextStart(app: App, plain: Map<string, string>): { next: Settings; problems: ReadonlyMap<string, string> } {
  try {
    return { next: app.settingsWith(plain), problems: new Map() }
  } catch (error) {
    if (!(error instanceof SettingsRefused)) throw error
    const problems = new Map(error.refusals.map(({ key, message }) => [key, message]))
    const rest = new Map([...plain].filter(([key]) => !problems.has(key)))
    return { next: readable(app, rest), problems }
  }
}

/** Behind a stored text that cannot be, the environment may hold another: then only what runs can be told. */
function readable(app: App, plain: Map<string, string>): Settings {
  try {
    return app.settingsWith(plain)
  } catch (error) {
    if (error instanceof SettingsRefused) return app.settings
    throw error
  }
}

function viewOf(
  running: Settings,
  next: Settings,
  description: SettingDescription,
  stored: StoredSetting | undefined,
  problems: ReadonlyMap<string, string>,
): SettingView {
  const { key, group, type, help, allowed, apply, value, origin } = description
  return {
    ...{ key, group, type, allowed, apply, origin },
    help: help.en,
    help_ru: help.ru,
    options: settingOf(key).options ? [...(settingOf(key).options ?? [])] : null,
    default: description.default,
    secret: description.isSecret,
    value: typeof value === 'string' ? value : null,
    is_set: typeof value === 'string' ? value !== '' : value.isSet,
    owner_only: settingOf(key).whose === 'owner',
    environment_only: settingOf(key).source === 'environment',
    environment_hidden: description.isEnvironmentHidden,
    environment_ignored: description.isEnvironmentIgnored,
    pending_restart: isPending(running, next, key),
    stored_at: stored?.updatedAt.toISOString() ?? null,
    problem: problems.get(key) ?? null,
  }
}

/** By value, not by text: `1` and `on` are the same, and a change that was taken back waits for nothing. */
function isPending(running: Settings, next: Settings, key: SettingKey): boolean {
  return settingOf(key).apply === 'restart' && !isDeepStrictEqual(running.get(key), next.get(key))
}
