/** The folder that the file tools are confined to. */
import { resolve } from 'node:path'
import type { ToolDependencies } from '../tool.ts'

/** @returns an absolute path; undefined: the tool is off, with a warning where the platform is the reason */
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
