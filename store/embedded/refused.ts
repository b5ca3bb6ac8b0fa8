/** Why the built-in database cannot be started, and what to do about it. */
import { Failure } from '../../runtime/failure.ts'

export class EmbeddedRefused extends Failure {
  readonly code = 'embedded_refused'
}

/** Another process runs the database of this folder. */
export class DataFolderInUse extends Failure {
  readonly code = 'data_folder_in_use'
  readonly pid: number
  constructor(folder: string, pid: number, host: string | undefined) {
    const where = host === undefined ? `process ${pid}` : `process ${pid} on ${host}`
    super(`${where} already runs the service on ${folder}: stop it first, or set SERVICE_DATA_DIR to another folder`)
    this.pid = pid
  }
}
