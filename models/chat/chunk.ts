/** One chunk of a streamed answer: its shape, and the deltas that are in it. */

import { type Fields, isRecord } from '../http/fields.ts'
import type { ModelDelta, Usage } from '../transport.ts'

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

/** The text of a chunk that says nothing else: one choice, no finish, no usage. */
export function plainText(chunk: unknown): { choice: number; text: string } | undefined {
  if (!isRecord(chunk) || chunk['usage'] || chunk['error']) return undefined
  const choices = choicesIn(chunk)
  const only = choices[0]
  if (usageOfChoices(chunk)) return undefined
  if (choices.length !== 1 || only?.delta?.kind !== 'text' || only.finishReason !== undefined) return undefined
  return { choice: only.index, text: only.delta.text }
}

/** The model's own words in a delta of any kind, for an estimate of its tokens. */
export function generatedText(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(generatedText).join('')
  if (!isRecord(value)) return ''
  let words = ''
  for (const name in value) if (!silentFields.has(name)) words += generatedText(value[name])
  return words
}

const silentFields = new Set(['role', 'id', 'type', 'index', 'finish_reason', 'logprobs', 'audio', 'image_url'])

/** The largest count of the database's columns, and more than any model has spent. */
const countMax = 2_147_483_647

/**
 * Counts that can be counted with; undefined where the endpoint sent none.
 * @param before what it counted earlier: a count that it leaves out now stands
 */
export function usageIn(value: unknown, before?: Usage): Usage | undefined {
  if (!isRecord(value)) return undefined
  const prompt = countIn(value['prompt_tokens'])
  const completion = countIn(value['completion_tokens'])
  if (prompt === undefined && completion === undefined) return undefined
  const promptTokens = prompt ?? before?.prompt_tokens ?? 0
  const completionTokens = completion ?? before?.completion_tokens ?? 0
  const usage: Usage = {
    ...value,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: countIn(value['total_tokens']) ?? Math.min(countMax, promptTokens + completionTokens),
  }
  for (const name of ['prompt_tokens_details', 'completion_tokens_details'])
    if (isRecord(value[name])) usage[name] = withCounts(value[name])
  return usage
}

/** Some endpoints count in the choice that finishes. */
export function usageOfChoices(chunk: Fields, before?: Usage): Usage | undefined {
  const choices = chunk['choices']
  if (!Array.isArray(choices)) return undefined
  for (const choice of choices) {
    const usage = isRecord(choice) ? usageIn(choice['usage'], before) : undefined
    if (usage) return usage
  }
  return undefined
}

/** Whole, and within what can be stored. A negative one says that the endpoint does not know. */
function countIn(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 ? Math.min(countMax, Math.round(value)) : undefined
}

function withCounts(details: Fields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(details).map(([name, value]) => [name, typeof value === 'number' ? (countIn(value) ?? 0) : value]),
  )
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
