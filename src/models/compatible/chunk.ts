/** One chunk of a streamed answer: its shape, and the deltas that are in it. */
import type { ModelDelta, Usage } from '../transport.ts'
import { type Fields, isRecord } from './fields.ts'

export interface ChunkChoice {
  index: number
  /** Without text in `content`, nulls or a role alone: undefined. */
  delta: ModelDelta | undefined
  finishReason: string | undefined
}

/** Fields of a chunk that are ours to write, or padding. */
const ownFields = new Set(['id', 'object', 'created', 'model', 'choices', 'usage', 'error', 'obfuscation'])

/** What a model adds to its answer beyond the convention's core: system_fingerprint, service_tier, citations… */
export function collectExtra(from: Fields, extra: Record<string, unknown>): void {
  for (const name in from) if (!ownFields.has(name) && from[name] !== null) extra[name] = from[name]
}

export function choicesIn(chunk: Fields): ChunkChoice[] {
  const choices = chunk['choices']
  if (!Array.isArray(choices)) return []
  return choices.filter(isRecord).map((choice, at) => {
    const index = typeof choice['index'] === 'number' ? choice['index'] : at
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

/** The text of a chunk that says nothing else: one choice, no finish, no usage. */
export function plainText(chunk: unknown): { choice: number; text: string } | undefined {
  if (!isRecord(chunk) || chunk['usage'] || chunk['error']) return undefined
  const choices = choicesIn(chunk)
  const only = choices[0]
  if (choices.length !== 1 || only?.delta?.kind !== 'text' || only.finishReason !== undefined) return undefined
  return { choice: only.index, text: only.delta.text }
}

/** The model's own words in a delta of any kind, for an estimate of its tokens. */
export function wordsIn(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(wordsIn).join('')
  if (!isRecord(value)) return ''
  let words = ''
  for (const name in value) if (!silentFields.has(name)) words += wordsIn(value[name])
  return words
}

const silentFields = new Set(['role', 'id', 'type', 'index', 'finish_reason', 'logprobs', 'audio', 'image_url'])

/** Counts that can be counted with; undefined where the endpoint sent none. */
export function usageIn(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = value
  if (!isCount(prompt) && !isCount(completion)) return undefined
  const promptTokens = isCount(prompt) ? prompt : 0
  const completionTokens = isCount(completion) ? completion : 0
  return {
    ...value,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: isCount(total) ? total : promptTokens + completionTokens,
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
