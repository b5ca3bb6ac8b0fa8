/** What a server answered, as the text that the model is told. Pictures, sounds and files are named, never inlined. */
import { z } from 'zod'

/** Of one answer; eight megabytes can hold half a million, each of which costs the main thread some microseconds. */
const blocksMax = 1_000

/** Loose on purpose: a block of a kind that nobody knew when this was written is named, and the rest of the answer counts. */
export const CallResult = z.object({
  content: z
    .array(z.unknown())
    .default([])
    .transform(firstBlocks)
    .pipe(z.array(z.looseObject({ type: z.string() }))),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
})
export type CallResult = z.infer<typeof CallResult>

type Block = CallResult['content'][number]

const Resource = z.object({
  uri: z.string(),
  name: z.string().optional(),
  mimeType: z.string().optional(),
  text: z.string().optional(),
  blob: z.string().optional(),
})

/** Characters of a name or an address in a placeholder. */
const labelLengthMax = 500

function firstBlocks(blocks: readonly unknown[]): unknown[] {
  const more = blocks.length - blocksMax
  const note = { type: 'text', text: `[${more} more parts: not shown]` }
  return [...blocks.slice(0, blocksMax), ...(more > 0 ? [note] : [])]
}

/** As long as the answer is; `cut` makes it short, after secrets were taken out of it. */
export function resultText(result: CallResult): string {
  const blocks = result.content.map(blockText)
  const structured = structuredText(result.structuredContent)
  // Servers repeat structured content as text for clients that know only text.
  const isRepeated = structured !== undefined && result.content.some((block) => isSameJson(block, structured))
  const text = [...blocks, ...(structured !== undefined && !isRepeated ? [structured] : [])].join('\n')
  return text === '' ? '(the tool returned nothing)' : text
}

export function truncated(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  return `${text.slice(0, lengthMax).toWellFormed()}\n[cut: ${lengthMax} of ${text.length} characters]`
}

function blockText(block: Block): string {
  switch (block.type) {
    case 'text':
      return typeof block['text'] === 'string' ? block['text'] : '[text without words]'
    case 'image':
    case 'audio':
      return `[${block.type}: ${short(block['mimeType'])}, ${base64Bytes(block['data'])} bytes, not shown]`
    case 'resource':
      return resourceText('resource', block['resource'])
    case 'resource_link':
      return resourceText('resource link', block)
    default:
      return `[${short(block.type)}: not shown]`
  }
}

function resourceText(what: string, value: unknown): string {
  const resource = Resource.safeParse(value).data
  if (!resource) return `[${what}: not shown]`
  const { uri, name, mimeType, text, blob } = resource
  const bytes = text !== undefined ? Buffer.byteLength(text) : blob !== undefined ? base64Bytes(blob) : undefined
  const parts = [name, uri, mimeType].filter((part) => part !== undefined).map(short)
  return `[${what}: ${[...parts, ...(bytes === undefined ? [] : [`${bytes} bytes`])].join(', ')}, not shown]`
}

function short(words: unknown): string {
  return typeof words === 'string' ? words.slice(0, labelLengthMax).toWellFormed() : 'unknown'
}

function base64Bytes(data: unknown): number {
  return typeof data === 'string' ? Buffer.byteLength(data, 'base64') : 0
}

function structuredText(content: CallResult['structuredContent']): string | undefined {
  if (content === undefined) return undefined
  try {
    return JSON.stringify(content)
  } catch {
    return '[structured content: nested too deep to be shown]' // RangeError of a value some thousand levels deep
  }
}

function isSameJson(block: Block, json: string): boolean {
  const text = block['text']
  if (block.type !== 'text' || typeof text !== 'string') return false
  if (text === json) return true
  try {
    return JSON.stringify(JSON.parse(text)) === json
  } catch {
    return false // words, not JSON
  }
}
