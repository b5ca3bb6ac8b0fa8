/** A tool as a server lists it, made fit to be told to a model: small, shallow, its name ours. One that cannot be is left out. */
import { z } from 'zod'
import type { McpLimits } from './limits.ts'
import { toolName } from './tool-name.ts'

/** One page; each tool is judged by itself, so that a bad one costs no other. */
export const ToolPage = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().max(4_096).optional() })

const Listed = z.object({
  name: z.string().min(1).max(512),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.looseObject({ type: z.literal('object') }),
  annotations: z
    .object({
      title: z.string().optional(),
      readOnlyHint: z.boolean().optional(),
      idempotentHint: z.boolean().optional(),
    })
    .catch({})
    .default({}),
  execution: z.object({ taskSupport: z.string().optional() }).catch({}).default({}),
})

export interface ListedTool {
  /** Ours: `<server>__<tool>`. */
  name: string
  /** The server's. */
  tool: string
  description: string
  parameters: Record<string, unknown>
  isReadOnly: boolean
  isIdempotent: boolean
}

/** @returns what is wrong with it where it cannot be offered */
export function listedTool(listing: unknown, label: string, limits: McpLimits): ListedTool | string {
  const parsed = Listed.safeParse(listing)
  if (!parsed.success) return 'it is not described as the protocol asks'
  const { name, title, description, inputSchema, annotations, execution } = parsed.data
  if (execution.taskSupport === 'required') return 'it can be called as a background task only'
  const { $schema: _, ...parameters } = inputSchema
  if (!isShallow(parameters, limits.schemaDepthMax)) return `its schema nests more than ${limits.schemaDepthMax} deep`
  if (Buffer.byteLength(JSON.stringify(parameters)) > limits.schemaBytesMax)
    return `its schema has more than ${limits.schemaBytesMax} bytes`
  const describedAs = [description, title, annotations.title].find(
    (words) => words !== undefined && words.trim() !== '',
  )
  return {
    name: toolName(label, name),
    tool: name,
    description: (describedAs ?? `The tool ${name} of the server ${label}`)
      .slice(0, limits.descriptionLengthMax)
      .toWellFormed(),
    // Some models refuse an object schema that names no properties.
    parameters: { properties: {}, ...parameters },
    isReadOnly: annotations.readOnlyHint === true,
    isIdempotent: annotations.idempotentHint === true,
  }
}

/** Bounded in its own depth too: it stops where the value is too deep. */
function isShallow(value: unknown, levelsLeft: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levelsLeft > 0 && Object.values(value).every((inner) => isShallow(inner, levelsLeft - 1))
}
