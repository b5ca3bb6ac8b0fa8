/** Answers of the responses style for the scripted endpoint. */
import { events, json, type ScriptedAnswer } from '../../support/model-endpoint.ts'

type Fields = Record<string, unknown>

export const responsesUsage = {
  input_tokens: 9,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 14,
}

/** The same as the chat convention counts it. */
export const chatUsage = {
  prompt_tokens: 9,
  completion_tokens: 5,
  total_tokens: 14,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 2 },
}

export function responseOf(output: readonly Fields[], more: Fields = {}): Fields {
  return {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: 'scripted-1',
    output,
    usage: responsesUsage,
    ...more,
  }
}

export const messageItem = (text: string): Fields => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
})

export const callItem = (id: string, name: string, args: string, more: Fields = {}): Fields => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: args,
  ...more,
})

export const wholeResponse = (...output: Fields[]): ScriptedAnswer => json(responseOf(output))

export const created = {
  type: 'response.created',
  response: { id: 'resp_1', status: 'in_progress', model: 'scripted-1' },
}

export const textDelta = (delta: string): Fields => ({
  type: 'response.output_text.delta',
  item_id: 'msg_1',
  output_index: 0,
  content_index: 0,
  delta,
})

export const argumentsDelta = (id: string, place: number, delta: string): Fields => ({
  type: 'response.function_call_arguments.delta',
  item_id: `fc_${id}`,
  output_index: place,
  delta,
})

export const added = (item: Fields, place: number): Fields => ({
  type: 'response.output_item.added',
  output_index: place,
  item: { ...item, ...('arguments' in item && { arguments: '' }) },
})

export const done = (item: Fields, place: number): Fields => ({
  type: 'response.output_item.done',
  output_index: place,
  item,
})

export const completed = (response: Fields = responseOf([])): Fields => ({ type: 'response.completed', response })

/** Words, one after the other, and the end. */
export const spokenResponse = (...words: string[]): ScriptedAnswer =>
  events(created, ...words.map(textDelta), completed(responseOf([messageItem(words.join(''))])))
