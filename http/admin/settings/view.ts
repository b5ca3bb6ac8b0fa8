/** The settings as the API shows them: value, origin, and whether they wait for a restart. */
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
  allowed: z.string().describe('The allowed values, in words.'),
  options: z.array(z.string()).nullable().describe('The values of an enum.'),
  default: z.string(),
  apply: z.enum(['restart', 'live', 'immediate']),
  secret: z.boolean(),
  value: z
    .string()
    .nullable()
    .describe('The text that applies once nothing is pending, with passwords in addresses hidden; null for a secret.'),
  is_set: z.boolean(),
  origin: z.enum(['stored', 'environment', 'default']),
  owner_only: z.boolean().describe('Only an owner can change it, or a key with every scope.'),
  environment_only: z.boolean().describe('It is needed before the database is open, so it cannot be stored.'),
  environment_hidden: z.boolean().describe('The environment has a value, and the stored one overrides it.'),
  environment_ignored: z.boolean().describe('The environment has a value, which is not used for this setting.'),
  unused: z.boolean().describe('It belongs to a feature that this version does not have: setting it has no effect.'),
  pending_restart: z.boolean().describe('The running service uses another value until its restart.'),
  stored_at: z.iso.datetime().nullable(),
  problem: z.string().nullable().describe('Why the stored text is invalid; another value applies instead.'),
})
export type SettingView = z.infer<typeof SettingView>

/** As they are stored now, even if this process has not been notified of a change yet. `next`: what a start would read. */
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

/** What a start would read now. Invalid stored texts are left out, and returned as problems. */
function nextStart(app: App, plain: Map<string, string>): { next: Settings; problems: ReadonlyMap<string, string> } {
  try {
    return { next: app.settingsWith(plain), problems: new Map() }
  } catch (error) {
    if (!(error instanceof SettingsRefused)) throw error
    const problems = new Map(error.refusals.map(({ key, message }) => [key, message]))
    const rest = new Map([...plain].filter(([key]) => !problems.has(key)))
    return { next: settingsOrRunning(app, rest), problems }
  }
}

/** Without an invalid stored text, an invalid one of the environment may apply: then only the running settings can be shown. */
function settingsOrRunning(app: App, plain: Map<string, string>): Settings {
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
    key,
    group,
    type,
    allowed,
    apply,
    origin,
    help: help.en,
    help_ru: help.ru,
    options: settingOf(key).options ? [...(settingOf(key).options ?? [])] : null,
    default: description.default,
    secret: description.isSecret,
    value: typeof value === 'string' ? value : null,
    is_set: typeof value === 'string' ? value !== '' : value.isSet,
    owner_only: settingOf(key).changedBy === 'owner',
    environment_only: settingOf(key).source === 'environment',
    environment_hidden: description.isEnvironmentHidden,
    environment_ignored: description.isEnvironmentIgnored,
    unused: description.isUnused,
    pending_restart: isPending(running, next, key),
    stored_at: stored?.updatedAt.toISOString() ?? null,
    problem: problems.get(key) ?? null,
  }
}

/** Compares values, not texts: `1` and `on` are the same, and a change that was undone does not wait. */
function isPending(running: Settings, next: Settings, key: SettingKey): boolean {
  return settingOf(key).apply === 'restart' && !isDeepStrictEqual(running.get(key), next.get(key))
}
