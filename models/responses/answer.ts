/** A response of that style as the chat convention has it: message, finish, usage. */
import type { WholeAnswer } from '../http/dialect.ts'
import { type EndpointLabel, errorInAnswer, malformedAnswer, streamCut } from '../http/failures.ts'
import { type Fields, isRecord, nameOrUndefined, textOrBlank } from '../http/fields.ts'
import { generatedText } from '../http/generated-text.ts'
import { normalizedCalls } from '../http/tool-calls.ts'
import { usageIn } from '../http/usage-counts.ts'
import { outputItemsField } from '../output-items-field.ts'
import { reasoningField } from '../reasoning-field.ts'
import type { Usage } from '../transport.ts'
import { reasoningIn } from './reasoning.ts'

/** @throws ModelError */
export function responsesAnswer(response: Fields, endpoint: EndpointLabel): WholeAnswer {
  const failure = failureIn(response, endpoint)
  if (failure) throw failure
  const { output, model } = response
  if (!Array.isArray(output)) throw malformedAnswer('an answer without output')
  const { text, refusal, reasoning, calls, annotations, logprobs } = outputTextIn(output)
  const others = otherItemsIn(output)
  const sealedReasoning = reasoningIn(output)
  const message: Record<string, unknown> = {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: refusal === '' ? null : refusal,
    ...(annotations.length > 0 && { annotations }),
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(sealedReasoning && { [reasoningField]: sealedReasoning }),
  }
  return {
    model: nameOrUndefined(model),
    choices: [
      {
        index: 0,
        message,
        logprobs: logprobs.length > 0 ? { content: logprobs, refusal: null } : null,
        finish_reason: finishReasonOf(response, calls.length > 0),
        ...(others.length > 0 && { [outputItemsField]: others }),
      },
    ],
    usage: responsesUsage(response['usage']),
    extra: extraIn(response),
    answerText: generatedText(message),
  }
}

/** Why a response is no answer, where it says that itself. */
export function failureIn({ status, error }: Fields, endpoint: EndpointLabel) {
  if (error) return errorInAnswer(error, endpoint)
  if (status === 'failed') return errorInAnswer({}, endpoint)
  if (status === 'cancelled') return streamCut()
  return status === 'queued' || status === 'in_progress' ? malformedAnswer('an answer that is not finished') : undefined
}

export function finishReasonOf({ status, incomplete_details: details }: Fields, hasCalls: boolean): string {
  if (status === 'incomplete')
    return isRecord(details) && details['reason'] === 'content_filter' ? 'content_filter' : 'length'
  return hasCalls ? 'tool_calls' : 'stop'
}

export function extraIn({ service_tier: tier }: Fields): Record<string, unknown> {
  return typeof tier === 'string' ? { service_tier: tier } : {}
}

export interface OutputText {
  text: string
  refusal: string
  reasoning: string
  /** By the chat convention. */
  calls: unknown[]
  /** By the chat convention. */
  annotations: Fields[]
  /** Of the text, a token each. */
  logprobs: unknown[]
}

const kindsWithPlace: ReadonlySet<unknown> = new Set(['message', 'reasoning', 'function_call', 'custom_tool_call'])

export const isOtherItem = ({ type }: Fields): boolean => typeof type === 'string' && !kindsWithPlace.has(type)

export const otherItemsIn = (output: readonly unknown[]): Fields[] => output.filter(isRecord).filter(isOtherItem)

/** The chat convention keeps the fields of a citation in one of their own. */
export function chatAnnotation(annotation: Fields): Fields {
  const { type, ...citation } = annotation
  return type === 'url_citation' && !isRecord(annotation['url_citation'])
    ? { type, url_citation: citation }
    : annotation
}

export function outputTextIn(output: readonly unknown[]): OutputText {
  const found: OutputText = { text: '', refusal: '', reasoning: '', calls: [], annotations: [], logprobs: [] }
  const reasoning: string[] = []
  for (const item of output.filter(isRecord)) {
    if (item['type'] === 'function_call') found.calls.push(chatCall(item))
    else if (item['type'] === 'custom_tool_call') found.calls.push(customCall(item))
    for (const part of partsIn(item['content'])) {
      if (part['type'] === 'output_text') {
        found.text += textOrBlank(part['text'])
        found.annotations.push(...annotationsIn(part))
        if (Array.isArray(part['logprobs'])) found.logprobs.push(...part['logprobs'])
      } else if (part['type'] === 'refusal') found.refusal += textOrBlank(part['refusal'])
      else if (part['type'] === 'reasoning_text') reasoning.push(textOrBlank(part['text']))
    }
    if (item['type'] === 'reasoning') reasoning.push(...partsIn(item['summary']).map(({ text }) => textOrBlank(text)))
  }
  found.reasoning = reasoning.filter((text) => text !== '').join('\n\n')
  found.calls = normalizedCalls(found.calls)
  return found
}

function chatCall({ call_id: callId, id, name, arguments: text }: Fields): Record<string, unknown> {
  return { id: callId ?? id, type: 'function', function: { name: textOrBlank(name), arguments: text } }
}

function customCall({ call_id: callId, id, name, input }: Fields): Record<string, unknown> {
  return { id: callId ?? id, type: 'custom', custom: { name: textOrBlank(name), input: textOrBlank(input) } }
}

/** By the chat convention. */
export const annotationsIn = ({ annotations }: Fields): Fields[] => partsIn(annotations).map(chatAnnotation)

function partsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

/** @param previous what the endpoint counted earlier in the same answer */
export function responsesUsage(value: unknown, previous?: Usage): Usage | undefined {
  if (!isRecord(value)) return undefined
  const { input_tokens_details: inputDetails, output_tokens_details: outputDetails } = value
  const counts = {
    prompt_tokens: value['input_tokens'],
    completion_tokens: value['output_tokens'],
    total_tokens: value['total_tokens'],
    ...(isRecord(inputDetails) && { prompt_tokens_details: inputDetails }),
    ...(isRecord(outputDetails) && { completion_tokens_details: outputDetails }),
  }
  return usageIn(counts, previous)
}
