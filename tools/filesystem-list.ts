/** filesystem_list: what a folder below SERVICE_FS_ROOT holds. */
import { z } from 'zod'
import { depthMax, entriesMax, listFolder } from './files/listing.ts'
import { fileRoot, rootOfWorkspace } from './files/root.ts'
import { defineTool, type Tool, type ToolDependencies } from './tool.ts'

const Arguments = z.strictObject({
  path: z.string().min(1).default('.').describe('The folder, relative to the folder of the file tools.'),
  depth: z.int().min(1).max(depthMax).default(1).describe('How many levels of folders to show.'),
})

export function filesystemList(dependencies: ToolDependencies): Tool | undefined {
  const root = fileRoot(dependencies, 'filesystem_list')
  if (root === undefined) return undefined
  return defineTool({
    name: 'filesystem_list',
    description: `Lists the files and folders of a folder, at most ${entriesMax}. Symbolic links are shown, never followed.`,
    arguments: Arguments,
    risk: 'read',
    idempotency: 'repeatable',
    timeoutMs: 10_000,
    needsGrant: true,
    isUntrusted: true,
    async run({ signal, workspaceId }, { path, depth }) {
      const { lines, isCut } = await listFolder(rootOfWorkspace(dependencies, root, workspaceId), path, depth, signal)
      if (lines.length === 0) return 'The folder is empty.'
      const more = isCut ? `More than ${entriesMax} entries; these are some. List a folder further down.\n\n` : ''
      return `${more}${lines.join('\n')}`
    },
  })
}
