/** The key that secrets at rest are sealed with, where there is one. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type MasterKey, openMasterKey } from '../../config/seal.ts'
import type { Environment } from '../../config/settings.ts'
import { dataDirOf } from '../../gateway/open-store.ts'

/** Unlike a start, this creates none. */
export function existingKey(environment: Environment): MasterKey {
  const { dataDir } = dataDirOf(environment)
  const file = join(dataDir, 'master.key')
  if (!environment['SERVICE_MASTER_KEY'] && !existsSync(file)) throw new Error(`there is no ${file}`)
  return openMasterKey({ dataDir, environment })
}
