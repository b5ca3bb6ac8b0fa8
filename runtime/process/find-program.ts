/** Finds programs of the host: on the PATH, or in the folders of the system. */
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** Only these: the PATH of the service may contain folders of its user's home, which sandboxes do not see. */
const systemFolders = ['/usr/local/bin', '/usr/bin', '/bin']

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

export function findOnPath(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find(isProgram)
}

export function findInSystem(name: string): string | undefined {
  return systemFolders.map((folder) => join(folder, name)).find(isProgram)
}
