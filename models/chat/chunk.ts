/** One chunk of a streamed answer: its shape, and the deltas that are in it. */
import { type Fields, isIndex, isRecord } from '../http/fields.ts'
import { usageIn } from '../http/usage-counts.ts'
import type { ModelDelta, Usage } from '../transport.ts'

export interface ChunkChoice {
  index: number
  /** Without text in `content`, nulls or a role alone: undefined. */
  delta: ModelDelta | undefined
  finishReason: string | undefined
}

/** Fields that the service writes itself, or padding. */
const ownFields = new Set(['id', 'object', 'created', 'model', 'choices', 'usage', 'error', 'obfuscation'])

/** Fields that a model adds to the convention's: system_fingerprint, service_tier, citations… */
export function collectExtra(from: Fields, extra: Record<string, unknown>): void {
  for (const name in from) if (!ownFields.has(name) && from[name] !== null) extra[name] = from[name]
}

export function choicesIn(chunk: Fields): ChunkChoice[] {
  const choices = chunk['choices']
  if (!Array.isArray(choices)) return []
  return choices.filter(isRecord).map((choice, at) => {
    const index = isIndex(choice['index']) ? choice['index'] : at
    const finishReason = choice['finish_reason']
    return {
      index,
      delta: deltaOf(index, choice),
      finishReason: typeof finishReason === 'string' && finishReason !== '' ? finishReason : undefined,
    }
  })
}

function deltaOf(index: number, choice: Fields): ModelDelta | undefined {
  const { delta, logprobs } = choice
  if (!isRecord(delta)) return undefined
  const content = delta['content']
  let hasMore = logprobs !== null && logprobs !== undefined
  for (const name in delta) {
    if (name === 'role' || (name === 'content' && !Array.isArray(content))) continue
    const value = delta[name]
    if (value !== null && value !== undefined) hasMore = true
  }
  if (hasMore) return { kind: 'raw', choice: index, delta, ...(logprobs ? { logprobs } : {}) }
  return typeof content === 'string' && content !== '' ? { kind: 'text', choice: index, text: content } : undefined
}

/** The text of a chunk that holds nothing else: one choice, no finish, no usage. */
export function plainText(chunk: unknown): { choice: number; text: string } | undefined {
  if (!isRecord(chunk) || chunk['usage'] || chunk['error']) return undefined
  const choices = choicesIn(chunk)
  const only = choices[0]
  if (usageOfChoices(chunk)) return undefined
  if (choices.length !== 1 || only?.delta?.kind !== 'text' || only.finishReason !== undefined) return undefined
  return { choice: only.index, text: only.delta.text }
}

/** Some endpoints count in the choice that finishes. */
export function usageOfChoices(chunk: Fields, previous?: Usage): Usage | undefined {
  const choices = chunk['choices']
  if (!Array.isArray(choices)) return undefined
  for (const choice of choices) {
    const usage = isRecord(choice) ? usageIn(choice['usage'], previous) : undefined
    if (usage) return usage
  }
  return undefined
}
