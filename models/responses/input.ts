/** The messages of the chat convention as the input items of the responses style. */
import { isRecord } from '../http/fields.ts'
import { argumentsText } from '../http/tool-calls.ts'
import { withoutReasoning } from '../reasoning-field.ts'
import type { ChatMessage, ModelRequest } from '../transport.ts'
import { reasoningAfterCalls } from './reasoning.ts'

type Item = Record<string, unknown>

export interface ResponsesInput {
  /** The system messages at the beginning; blank: none. */
  instructions: string
  input: Item[]
}

export function inputOf({
  messages: requestMessages,
  keepsReasoning,
}: Pick<ModelRequest, 'messages' | 'keepsReasoning'>): ResponsesInput {
  const messages = keepsReasoning ? requestMessages : requestMessages.map(withoutReasoning)
  const customCalls = customCallsIn(messages)
  const itemsOf = (message: ChatMessage, at: number) => itemsOfMessage(message, at, customCalls)
  const firstOther = messages.findIndex((message) => !isSystem(message))
  // Instructions alone are no input: then they go as messages.
  if (firstOther <= 0) return { instructions: '', input: messages.flatMap(itemsOf) }
  return {
    instructions: messages
      .slice(0, firstOther)
      .map(({ content }) => textOf(content))
      .filter((text) => text !== '')
      .join('\n\n'),
    input: messages.slice(firstOther).flatMap((message, at) => itemsOf(message, firstOther + at)),
  }
}

function isSystem({ role }: ChatMessage): boolean {
  return role === 'system' || role === 'developer'
}

/** The ids of calls of tools that take free text: their results are items of another type. */
function customCallsIn(messages: readonly ChatMessage[]): ReadonlySet<unknown> {
  const calls = messages.flatMap(({ tool_calls: list }) => (Array.isArray(list) ? list.filter(isRecord) : []))
  return new Set(calls.filter(({ custom }) => isRecord(custom)).map(({ id }) => id))
}

function itemsOfMessage(message: ChatMessage, at: number, customCalls: ReadonlySet<unknown>): Item[] {
  switch (message.role) {
    case 'tool': {
      const { tool_call_id: id = '' } = message
      const type = customCalls.has(id) ? 'custom_tool_call_output' : 'function_call_output'
      return [{ type, call_id: id, output: outputOf(message.content) }]
    }
    case 'assistant':
      return assistantItems(message, at)
    default:
      return [{ type: 'message', role: message.role, content: contentOf(message.content, 'input_text') }]
  }
}

/** Its sealed reasoning, its text, then its calls. */
function assistantItems(message: ChatMessage, at: number): Item[] {
  const items: Item[] = reasoningAfterCalls(message, 0)
  const content = contentOf(message.content, 'output_text')
  if (content.length > 0) items.push({ type: 'message', role: 'assistant', content })
  const calls = message['tool_calls']
  if (!Array.isArray(calls)) return items
  for (const [position, call] of calls.filter(isRecord).entries()) {
    if (position > 0) items.push(...reasoningAfterCalls(message, position))
    items.push(callItem(call, `call_${at}_${position}`))
  }
  return items
}

function callItem({ id = null, function: called, custom }: Item, idByDefault: string): Item {
  const callId = id ?? idByDefault
  if (isRecord(custom)) {
    const { name = '', input = '' } = custom
    return { type: 'custom_tool_call', call_id: callId, name, input }
  }
  const { name = '', arguments: text = '' } = isRecord(called) ? called : {}
  return { type: 'function_call', call_id: callId, name, arguments: argumentsText(text) }
}

/** Text stays text; parts keep their order. */
function contentOf(content: ChatMessage['content'], textType: 'input_text' | 'output_text'): string | Item[] {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : ''
  return content.filter(isRecord).map((part) => partOf(part, textType))
}

function partOf(part: Item, textType: string): Item {
  switch (part['type']) {
    case 'text':
      return { type: textType, text: part['text'] }
    case 'image_url': {
      const image = part['image_url']
      const { url, detail } = isRecord(image) ? image : { url: image, detail: undefined }
      return { type: 'input_image', image_url: url, detail: detail ?? 'auto' }
    }
    case 'file':
      return { type: 'input_file', ...(isRecord(part['file']) && part['file']) }
    default:
      return part
  }
}

function outputOf(content: ChatMessage['content']): string | Item[] {
  const isText = Array.isArray(content) && content.every((part) => part?.['type'] === 'text')
  return isText ? textOf(content) : contentOf(content, 'input_text')
}

function textOf(content: ChatMessage['content']): string {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : ''
  return content.map((part) => (typeof part?.['text'] === 'string' ? part['text'] : '')).join('')
}
