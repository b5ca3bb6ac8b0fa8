/** The settings of the process: applied when they change in the store, here or in another process. */
import { openMasterKey } from '../config/seal.ts'
import { type Environment, openSettings, type Settings } from '../config/settings.ts'
import { freshRead } from '../runtime/fresh-read.ts'
import type { Log } from '../runtime/log/log.ts'
import type { Changes } from '../store/changes.ts'
import type { Database } from '../store/database.ts'
import { readPlainSettings } from '../store/settings/live-settings.ts'

interface SettingsSources {
  environment: Environment
  dataDir: string
  db: Database
  log: Log
}

export async function openLiveSettings(sources: SettingsSources): Promise<Settings> {
  const { environment, log } = sources
  const settings = openSettings({ environment, stored: await storedSettings(sources) })
  log.level = settings.get('SERVICE_LOG_LEVEL')
  settings.onChange((changed) => {
    log.level = settings.get('SERVICE_LOG_LEVEL')
    log.info({ settings: [...changed] }, 'settings took effect')
  })
  return settings
}

/** @returns what reads and applies those that are stored now, for whoever has just changed them */
export function followStoredSettings(
  settings: Settings,
  changes: Changes,
  sources: SettingsSources,
): () => Promise<void> {
  const { log } = sources
  async function read(): Promise<void> {
    try {
      for (const refusal of settings.apply(await storedSettings(sources))) {
        log.error(
          { setting: refusal.key, allowed: refusal.allowed },
          'a stored setting is not allowed; its previous value stays in effect',
        )
      }
    } catch (error) {
      log.error({ err: error }, 'changed settings could not be read; the previous values stay in effect')
    }
  }
  const readAgain = freshRead(read)
  changes.onChange('settings', readAgain)
  return readAgain
}

function storedSettings({ db, environment, dataDir }: SettingsSources): Promise<Map<string, string>> {
  return readPlainSettings(db, () => openMasterKey({ dataDir, environment }))
}
