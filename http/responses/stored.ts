/** A stored response as the client gets it, made of its turn and the turn's message. */

import { encryptedReasoning } from '../../models/responses/reasoning.ts'
import type { Usage } from '../../models/transport.ts'
import type { ResponseRecord } from '../../store/responses.ts'
import { clientTools, isFields } from './chat-tools.ts'
import type { EndedAnswer } from './events.ts'
import { turnIdOf } from './ids.ts'
import { type OutputForm, outputOf } from './output.ts'
import type { Repeated } from './parse.ts'
import {
  incompleteReason,
  type ResponseParts,
  type ResponseState,
  type ResponseStatus,
  responseObject,
} from './response-object.ts'

type Fields = Record<string, unknown>

export function storedParts(record: ResponseRecord): ResponseParts {
  // As it was written by us.
  const repeated = record.request as Repeated
  return { id: record.id, createdS: Math.floor(record.createdAt.getTime() / 1_000), model: record.model, repeated }
}

export function storedForm({ id, request }: ResponseRecord): OutputForm {
  const { tools, include } = request as Repeated
  return {
    turn: turnIdOf(id),
    tools: clientTools(tools),
    includesSealedReasoning: include.includes(encryptedReasoning),
  }
}

export function storedStatus({ status, finishReason }: ResponseRecord): ResponseStatus {
  switch (status) {
    case 'queued':
      return 'queued'
    case 'running':
    case 'waiting':
      return 'in_progress'
    case 'completed':
    case 'merged':
      return incompleteReason(finishReason) === null ? 'completed' : 'incomplete'
    case 'cancelled':
      return 'cancelled'
    case 'failed':
    case 'interrupted':
      return 'failed'
    default:
      return status satisfies never
  }
}

/** Null: it gave none. */
export function storedAnswer(record: ResponseRecord): EndedAnswer | null {
  const { message, model, finishReason, result } = record
  if (!message) return null
  const extra = isFields(result?.['extra']) ? result['extra'] : {}
  return { model, finishReason, message, logprobs: null, others: [], usage: usageOf(record), extra }
}

function usageOf({ result, promptTokens, completionTokens }: ResponseRecord): Usage {
  const counts = isFields(result?.['usage']) ? result['usage'] : {}
  const prompt = promptTokens ?? 0
  const completion = completionTokens ?? 0
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion, ...counts }
}

export function storedState(record: ResponseRecord): ResponseState {
  const status = storedStatus(record)
  const answer = storedAnswer(record)
  if (status === 'failed') {
    const { errorCode, errorMessage } = record
    return { status, error: { code: errorCode ?? 'server_error', message: errorMessage ?? 'The response failed.' } }
  }
  if (!answer) return { status }
  const incomplete = incompleteReason(answer.finishReason)
  const output = outputOf(storedForm(record), answer.message, {
    status: incomplete === null ? 'completed' : 'incomplete',
  })
  return { status, output, usage: answer.usage, incomplete, extra: answer.extra }
}

export function storedResponse(record: ResponseRecord): Fields {
  return responseObject(storedParts(record), storedState(record))
}
