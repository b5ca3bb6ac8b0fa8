/** A response as the client gets it, while it comes and when it has ended. */
import { z } from 'zod'
import type { Usage } from '../../models/transport.ts'
import type { ResponseId } from '../../store/id.ts'
import { isFields } from './chat-tools.ts'
import type { Repeated } from './parse.ts'

type Fields = Record<string, unknown>

export const ResponseUsage = z.looseObject({
  input_tokens: z.int(),
  input_tokens_details: z.looseObject({ cached_tokens: z.int() }),
  output_tokens: z.int(),
  output_tokens_details: z.looseObject({ reasoning_tokens: z.int() }),
  total_tokens: z.int(),
})

const Status = z.enum(['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled'])
export type ResponseStatus = z.infer<typeof Status>

export const ResponseObject = z.looseObject({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.int(),
  status: Status,
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  incomplete_details: z.object({ reason: z.string() }).nullable(),
  model: z.string(),
  output: z.array(z.looseObject({ type: z.string() })),
  previous_response_id: z.string().nullable(),
  usage: ResponseUsage.nullable(),
})

export interface ResponseParts {
  id: ResponseId
  createdS: number
  model: string
  repeated: Repeated
}

export interface ResponseState {
  status: ResponseStatus
  output?: Fields[]
  usage?: Usage | null
  error?: { code: string; message: string } | null
  incomplete?: string | null
  /** Further fields of the model's answer. */
  extra?: Fields
  completedS?: number
}

export function responseObject(parts: ResponseParts, state: ResponseState): Fields {
  const { id, createdS, model, repeated } = parts
  const { status, output = [], usage, error = null, incomplete = null, extra = {}, completedS } = state
  const { service_tier: tier } = extra
  const { include: _, ...fields } = repeated
  return {
    id,
    object: 'response',
    created_at: createdS,
    status,
    completed_at: completedS ?? null,
    error,
    incomplete_details: incomplete === null ? null : { reason: incomplete },
    model,
    output,
    usage: usage ? usageOf(usage) : null,
    ...fields,
    ...(typeof tier === 'string' && { service_tier: tier }),
  }
}

/** Why an answer is not whole, by its finish; null: it is. */
export function incompleteReason(finishReason: string | null): string | null {
  if (finishReason === 'length') return 'max_output_tokens'
  return finishReason === 'content_filter' ? 'content_filter' : null
}

function usageOf(usage: Usage): z.infer<typeof ResponseUsage> {
  const { prompt_tokens_details: prompt, completion_tokens_details: completion } = usage
  const { cached_tokens: cached = 0 } = isFields(prompt) ? prompt : {}
  const { reasoning_tokens: reasoning = 0 } = isFields(completion) ? completion : {}
  return {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: { cached_tokens: Number(cached) || 0 },
    output_tokens: usage.completion_tokens,
    output_tokens_details: { reasoning_tokens: Number(reasoning) || 0 },
    total_tokens: usage.total_tokens,
  }
}
