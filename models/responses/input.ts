/** The messages of the chat convention as the input items of the responses style. */
import { isRecord } from '../http/fields.ts'
import type { ChatMessage } from '../transport.ts'
import { reasoningBefore, withoutReasoning } from './reasoning.ts'

type Item = Record<string, unknown>

export interface ResponsesInput {
  /** What the system says before anybody else; blank: nothing. */
  instructions: string
  input: Item[]
}

/** @param given messages @param keepsReasoning false: what they hold of it is left out */
export function inputOf(given: readonly ChatMessage[], keepsReasoning = false): ResponsesInput {
  const messages = keepsReasoning ? given : given.map(withoutReasoning)
  const spoken = messages.findIndex((message) => !isSystem(message))
  // Instructions alone are no input: then they are said as messages.
  if (spoken <= 0) return { instructions: '', input: messages.flatMap(itemsOf) }
  return {
    instructions: messages
      .slice(0, spoken)
      .map(({ content }) => textOf(content))
      .filter((text) => text !== '')
      .join('\n\n'),
    input: messages.slice(spoken).flatMap((message, at) => itemsOf(message, spoken + at)),
  }
}

function isSystem({ role }: ChatMessage): boolean {
  return role === 'system' || role === 'developer'
}

function itemsOf(message: ChatMessage, at: number): Item[] {
  switch (message.role) {
    case 'tool':
      return [
        { type: 'function_call_output', call_id: message['tool_call_id'] ?? '', output: outputOf(message.content) },
      ]
    case 'assistant':
      return assistantItems(message, at)
    default:
      return [{ type: 'message', role: message.role, content: contentOf(message.content, 'input_text') }]
  }
}

/** What it thought, where its endpoint can open that, what it said, then what it called. */
function assistantItems(message: ChatMessage, at: number): Item[] {
  const items: Item[] = reasoningBefore(message, 0)
  const content = contentOf(message.content, 'output_text')
  if (content.length > 0) items.push({ type: 'message', role: 'assistant', content })
  const calls = message['tool_calls']
  if (!Array.isArray(calls)) return items
  for (const [position, call] of calls.filter(isRecord).entries()) {
    if (position > 0) items.push(...reasoningBefore(message, position))
    const { name = '', arguments: given = '' } = isRecord(call['function']) ? call['function'] : {}
    items.push({
      type: 'function_call',
      call_id: call['id'] ?? `call_${at}_${position}`,
      name,
      arguments: typeof given === 'string' ? given : JSON.stringify(given),
    })
  }
  return items
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
