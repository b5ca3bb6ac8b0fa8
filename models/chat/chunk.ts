/** One chunk of a streamed answer: its shape, and the deltas that are in it. */

import { isDeepStrictEqual } from 'node:util'
import { answerTooLarge } from '../http/failures.ts'
import { type Fields, isIndex, isRecord, nameOrUndefined } from '../http/fields.ts'
import { usageIn } from '../http/usage-counts.ts'
import type { ChoiceFields, ModelDelta, Usage } from '../transport.ts'

export interface ChunkChoice {
  index: number
  /** Without text in `content`, nulls or a role alone: undefined. */
  delta: ModelDelta | undefined
  finishReason: string | undefined
  /** What stands beside delta and finish_reason; undefined: nothing. */
  fields: ChoiceFields | undefined
}

/** Fields that the service writes itself, or padding. */
const ownFields = new Set(['id', 'object', 'created', 'model', 'choices', 'usage', 'error', 'obfuscation'])

/**
 * Fields that a model adds to the convention's: system_fingerprint, service_tier, citations… One that comes again with more
 * counts. @returns those that are new or other than before; undefined: none
 */
/** Of one answer, beside those that the convention names. */
const extraFieldsMax = 1_000

export function collectExtra(from: Fields, extra: Record<string, unknown>): Record<string, unknown> | undefined {
  let changed: Record<string, unknown> | undefined
  for (const name in from) {
    const value = from[name]
    if (ownFields.has(name) || value === null || isSame(extra[name], value)) continue
    if (extra[name] === undefined && Object.keys(extra).length === extraFieldsMax)
      throw answerTooLarge(`an answer of more than ${extraFieldsMax} fields`)
    extra[name] = value
    changed ??= {}
    changed[name] = value
  }
  return changed
}

export function isSame(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === 'object' && typeof other === 'object' && isDeepStrictEqual(one, other))
}

export function choicesIn(chunk: Fields): ChunkChoice[] {
  const choices = chunk['choices']
  if (!Array.isArray(choices)) return []
  return choices.filter(isRecord).map((choice, at) => {
    const index = isIndex(choice['index']) ? choice['index'] : at
    return {
      index,
      delta: deltaOf(index, choice),
      finishReason: nameOrUndefined(choice['finish_reason']),
      fields: fieldsBeside(choice),
    }
  })
}

const choiceFields = new Set(['index', 'delta', 'message', 'logprobs', 'finish_reason', 'usage'])

function fieldsBeside(choice: Fields): ChoiceFields | undefined {
  let fields: ChoiceFields | undefined
  for (const name in choice) {
    if (choiceFields.has(name) || choice[name] === null) continue
    fields ??= {}
    fields[name] = choice[name]
  }
  return fields
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
