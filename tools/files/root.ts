/** The folder that the file tools are confined to: one for each workspace, below SERVICE_FS_ROOT. */
import { resolve } from 'node:path'
import { defaultWorkspace } from '../../store/default-workspace.ts'
import { uuidOf, type WorkspaceId } from '../../store/id.ts'
import type { ToolDependencies } from '../tool.ts'

/** The folder with those of the workspaces besides the default one; nobody's tools see it. */
export const workspacesFolder = 'workspaces'

export interface FileRoot {
  /** Absolute. */
  path: string
  /** Folders below it that lead to the workspace's own, which is made at its first use. Empty: the root itself. */
  below: readonly string[]
}

/** The default workspace has the root itself, without the folder of the others. */
export function rootOfWorkspace({ settings }: ToolDependencies, path: string, workspace: WorkspaceId): FileRoot {
  const isDefault = workspace === defaultWorkspace({ settings })
  return { path, below: isDefault ? [] : [workspacesFolder, uuidOf(workspace)] }
}

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
