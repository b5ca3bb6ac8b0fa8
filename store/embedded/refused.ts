/** Why the built-in database cannot be started, in words that say what to do. */

export class EmbeddedRefused extends Error {
  override readonly name = 'EmbeddedRefused'
  readonly code = 'embedded_refused'
}

/** Somebody else runs the database of this folder. */
export class DataFolderInUse extends Error {
  override readonly name = 'DataFolderInUse'
  readonly code = 'data_folder_in_use'
  readonly pid: number
  constructor(folder: string, pid: number, host: string | undefined) {
    const where = host === undefined ? `process ${pid}` : `process ${pid} on ${host}`
    super(`${where} already runs the service on ${folder}: stop it first, or set SERVICE_DATA_DIR to another folder`)
    this.pid = pid
  }
}
