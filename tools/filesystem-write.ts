/** filesystem_write: makes, replaces or lengthens a text file below SERVICE_FS_ROOT. */
import { z } from 'zod'
import { fileRoot, rootOfWorkspace } from './files/root.ts'
import { writeBytesMax, writeText } from './files/write.ts'
import { defineTool, type Tool, type ToolDependencies } from './tool.ts'

const Arguments = z.strictObject({
  path: z.string().min(1).describe('The file, relative to the folder of the file tools. Its folder has to exist.'),
  content: z.string().max(writeBytesMax).describe('The text to write.'),
  mode: z
    .enum(['create', 'overwrite', 'append'])
    .describe('create: only where nothing is. overwrite: replaces the file. append: adds at its end.'),
})

export function filesystemWrite(dependencies: ToolDependencies): Tool | undefined {
  const root = fileRoot(dependencies, 'filesystem_write')
  if (root === undefined) return undefined
  return defineTool({
    name: 'filesystem_write',
    description: 'Writes a text file: a new one, or over an existing one, or at the end of it.',
    arguments: Arguments,
    risk: 'write',
    // For the sake of append, which made twice is there twice.
    idempotency: 'once',
    timeoutMs: 20_000,
    needsGrant: true,
    async run({ signal, workspaceId }, { path, content, mode }) {
      signal.throwIfAborted()
      const bytes = await writeText(rootOfWorkspace(dependencies, root, workspaceId), path, content, mode)
      return `Written; the file has ${bytes} bytes.`
    },
  })
}
