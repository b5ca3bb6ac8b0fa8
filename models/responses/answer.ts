/** What a response of that style says, as the chat convention has it: message, finish, usage. */

import { generatedText, usageIn } from '../chat/chunk.ts'
import { normalizedCalls } from '../chat/tool-call-pieces.ts'
import type { WholeAnswer } from '../http/dialect.ts'
import { type EndpointLabel, errorInAnswer, malformedAnswer, streamCut } from '../http/failures.ts'
import { type Fields, isRecord } from '../http/fields.ts'
import type { Usage } from '../transport.ts'
import { reasoningField, reasoningIn } from './reasoning.ts'

/** @throws ModelError */
export function answerOf(response: Fields, address: EndpointLabel): WholeAnswer {
  const failure = failureIn(response, address)
  if (failure) throw failure
  const { output, model } = response
  if (!Array.isArray(output)) throw malformedAnswer('an answer without output')
  const said = outputTextIn(output)
  const thought = reasoningIn(output)
  const message: Record<string, unknown> = {
    role: 'assistant',
    content: said.text === '' && said.calls.length > 0 ? null : said.text,
    refusal: said.refusal === '' ? null : said.refusal,
    ...(said.reasoning !== '' && { reasoning_content: said.reasoning }),
    ...(said.calls.length > 0 && { tool_calls: said.calls }),
    ...(thought && { [reasoningField]: thought }),
  }
  return {
    model: nameIn(model),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishOf(response, said.calls.length > 0) }],
    usage: responsesUsage(response['usage']),
    extra: extraIn(response),
    answerText: generatedText(message),
  }
}

/** Why a response is no answer, where it says that itself. */
export function failureIn(response: Fields, address: EndpointLabel) {
  const { status, error } = response
  if (error) return errorInAnswer(error, address)
  if (status === 'failed') return errorInAnswer({}, address)
  if (status === 'cancelled') return streamCut()
  return status === 'queued' || status === 'in_progress' ? malformedAnswer('an answer that is not finished') : undefined
}

export function finishOf({ status, incomplete_details: details }: Fields, hasCalls: boolean): string {
  if (status === 'incomplete')
    return isRecord(details) && details['reason'] === 'content_filter' ? 'content_filter' : 'length'
  return hasCalls ? 'tool_calls' : 'stop'
}

export function extraIn({ service_tier: tier }: Fields): Record<string, unknown> {
  return typeof tier === 'string' ? { service_tier: tier } : {}
}

export const nameIn = (model: unknown): string | undefined =>
  typeof model === 'string' && model !== '' ? model : undefined

export interface OutputText {
  text: string
  refusal: string
  reasoning: string
  /** By the chat convention. */
  calls: unknown[]
}

export function outputTextIn(output: readonly unknown[]): OutputText {
  const spoken: OutputText = { text: '', refusal: '', reasoning: '', calls: [] }
  const thoughts: string[] = []
  for (const item of output.filter(isRecord)) {
    if (item['type'] === 'function_call') spoken.calls.push(callOf(item))
    for (const part of partsIn(item['content'])) {
      if (part['type'] === 'output_text') spoken.text += textIn(part['text'])
      else if (part['type'] === 'refusal') spoken.refusal += textIn(part['refusal'])
      else if (part['type'] === 'reasoning_text') thoughts.push(textIn(part['text']))
    }
    if (item['type'] === 'reasoning') thoughts.push(...partsIn(item['summary']).map((part) => textIn(part['text'])))
  }
  spoken.reasoning = thoughts.filter((thought) => thought !== '').join('\n\n')
  spoken.calls = normalizedCalls(spoken.calls)
  return spoken
}

function callOf(item: Fields): Record<string, unknown> {
  const { call_id: callId, id, name, arguments: given } = item
  return { id: callId ?? id, type: 'function', function: { name: textIn(name), arguments: given } }
}

function partsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

export function responsesUsage(value: unknown, before?: Usage): Usage | undefined {
  if (!isRecord(value)) return undefined
  const { input_tokens_details: asked, output_tokens_details: answered } = value
  const counted = {
    prompt_tokens: value['input_tokens'],
    completion_tokens: value['output_tokens'],
    total_tokens: value['total_tokens'],
    ...(isRecord(asked) && { prompt_tokens_details: asked }),
    ...(isRecord(answered) && { completion_tokens_details: answered }),
  }
  return usageIn(counted, before)
}
