/** filesystem_read: a part of a text file below SERVICE_FS_ROOT. */
import { z } from 'zod'
import { fileRoot, rootOfWorkspace } from './files/root.ts'
import { readBytesMax, readText } from './files/text.ts'
import { defineTool, type Tool, type ToolDependencies, ToolFailed } from './tool.ts'

const usualBytes = 65_536

const Arguments = z.strictObject({
  path: z.string().min(1).describe('The file, relative to the folder of the file tools.'),
  offset: z
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER - readBytesMax)
    .default(0)
    .describe('Where to begin, in bytes.'),
  limit: z
    .int()
    .min(4)
    .max(readBytesMax)
    .default(usualBytes)
    .describe(`How many bytes at most; ${readBytesMax} is all.`),
})

export function filesystemRead(dependencies: ToolDependencies): Tool | undefined {
  const root = fileRoot(dependencies, 'filesystem_read')
  if (root === undefined) return undefined
  return defineTool({
    name: 'filesystem_read',
    description: 'Reads a text file. Long files come in parts: the first line of the result says where to go on.',
    arguments: Arguments,
    risk: 'read',
    idempotency: 'repeatable',
    timeoutMs: 10_000,
    needsGrant: true,
    isUntrusted: true,
    async run({ workspaceId }, { path, offset, limit }) {
      const part = await readText(rootOfWorkspace(dependencies, root, workspaceId), path, { offset, limit })
      if (part.kind === 'binary') {
        throw new ToolFailed('binary', `This is a binary file of ${part.fileBytes} bytes; only text can be read.`)
      }
      if (part.text === '') return `The file has ${part.fileBytes} bytes; there is nothing from byte ${offset} on.`
      const more = part.to < part.fileBytes ? `; go on with offset ${part.to}` : ''
      return `Bytes ${part.from} to ${part.to} of ${part.fileBytes}${more}.\n\n${part.text}`
    },
  })
}
