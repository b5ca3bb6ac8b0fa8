/** The folder that the file tools are confined to, or that they are off. */
import { resolve } from 'node:path'
import type { ToolDependencies } from '../tool.ts'

/** @returns absolute; undefined: the tool is off, and the log says so where that is not what the operator set */
export function fileRoot(
  dependencies: ToolDependencies,
  tool: string,
  platform: string = process.platform,
): string | undefined {
  const root = dependencies.settings.get('SERVICE_FS_ROOT')
  if (root === '') return undefined
  if (platform !== 'linux') {
    dependencies.log.warn({ tool, platform }, 'a file tool is off: folders can be confined on Linux only')
    return undefined
  }
  return resolve(root)
}
