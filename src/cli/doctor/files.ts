/** Can the data folder be used, and can only we read the master key? */
import { accessSync, constants, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../../config/settings.ts'
import { dataDirOf } from '../open-store.ts'
import { type Finding, failed, ok } from './finding.ts'

export function checkFiles(environment: Environment): Finding {
  const { dataDir } = dataDirOf(environment)
  const folder = statSync(dataDir, { throwIfNoEntry: false })
  if (!folder) return ok('files', `${dataDir} is not there yet; the first start makes it`)
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    return failed(
      'files',
      `${dataDir} cannot be written by this user`,
      `Run as its owner, or chown it, or set SERVICE_DATA_DIR.`,
    )
  }
  const key = statSync(join(dataDir, 'master.key'), { throwIfNoEntry: false })
  if (key && process.platform !== 'win32' && (key.mode & 0o077) !== 0) {
    return failed(
      'files',
      `${join(dataDir, 'master.key')} can be read by others`,
      `chmod 600 ${join(dataDir, 'master.key')}`,
    )
  }
  return ok('files', `${dataDir} is ours${key ? ', the master key is private' : ''}`)
}
