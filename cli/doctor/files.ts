/** Can the data folder be used, is the master key private, and is it valid? */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openMasterKey } from '../../config/seal.ts'
import type { Environment } from '../../config/settings.ts'
import { dataDirOf } from '../../gateway/open-store.ts'
import { type Finding, failed, ok, reason } from './finding.ts'

export function checkFiles(environment: Environment): Finding {
  const { dataDir } = dataDirOf(environment)
  const folder = statSync(dataDir, { throwIfNoEntry: false })
  if (!folder) return ok('files', `${dataDir} does not exist yet; the first start creates it`)
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    return failed(
      'files',
      `${dataDir} is not writable for this user`,
      `Run as its owner, or chown it, or set SERVICE_DATA_DIR.`,
    )
  }
  const file = join(dataDir, 'master.key')
  if (!environment['SERVICE_MASTER_KEY'] && !existsSync(file))
    return ok('files', `${dataDir} is ours; the first stored secret creates master.key`)
  try {
    openMasterKey({ dataDir, environment })
  } catch (error) {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0
    const isLoose = process.platform !== 'win32' && (mode & 0o077) !== 0
    return isLoose && !environment['SERVICE_MASTER_KEY']
      ? failed('files', `${file} can be read by others`, `chmod 600 ${file}`)
      : failed('files', reason(error), 'Put the right key back: stored secrets cannot be read without it.')
  }
  return ok('files', `${dataDir} is ours, the master key is private`)
}
