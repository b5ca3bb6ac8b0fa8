/** Input items as the messages of a chat call: consecutive items of the assistant become one message. */
import { reasoningField } from '../../models/reasoning-field.ts'
import type { ChatMessage, ContentPart } from '../../models/transport.ts'
import { badRequest } from '../error.ts'
import { chatNameOf, customArguments, isFields } from './chat-tools.ts'
import type { InputItem } from './request.ts'

type Fields = Record<string, unknown>

interface Draft {
  text: string
  parts: ContentPart[]
  calls: Fields[]
  reasoning: { calls_before: number; item: Fields }[]
}

/** @param referred the items of stored responses that the input refers to, by id @throws ApiError 400 for what is no input here */
export function messagesOf(input: readonly InputItem[], referred: ReadonlyMap<string, InputItem>): ChatMessage[] {
  const messages: ChatMessage[] = []
  let draft: Draft | undefined

  const assistant = (): Draft => {
    draft ??= { text: '', parts: [], calls: [], reasoning: [] }
    return draft
  }
  const close = () => {
    if (draft && (draft.calls.length > 0 || hasWords(draft))) messages.push(assistantMessage(draft))
    draft = undefined
  }

  function add(item: InputItem, param: string): void {
    switch (item.type ?? 'message') {
      case 'message': {
        if (!item.role) throw badRequest('A message needs a role.', `${param}.role`)
        if (item.role !== 'assistant') {
          close()
          messages.push({ role: item.role, content: contentOf(item.content ?? '', `${param}.content`) })
          return
        }
        // Words behind a call, or behind other words, are a message of their own.
        if (draft && (draft.calls.length > 0 || hasWords(draft))) close()
        addWords(assistant(), item.content ?? '', `${param}.content`)
        return
      }
      case 'function_call':
        assistant().calls.push(callOf(item, textIn(item, 'arguments', param), param))
        return
      case 'custom_tool_call':
        assistant().calls.push(callOf(item, customArguments(item['input']), param))
        return
      case 'function_call_output':
      case 'custom_tool_call_output':
        close()
        messages.push({
          role: 'tool',
          tool_call_id: textIn(item, 'call_id', param),
          content: outputOf(item['output'], `${param}.output`),
        })
        return
      case 'reasoning': {
        const { summary, encrypted_content: sealed } = item
        // What a model thought is of use only to the endpoint that sealed it.
        if (typeof sealed !== 'string') return
        if (draft && hasWords(draft) && draft.calls.length === 0) close()
        const { calls, reasoning } = assistant()
        const fields = { type: 'reasoning', summary: Array.isArray(summary) ? summary : [], encrypted_content: sealed }
        reasoning.push({ calls_before: calls.length, item: fields })
        return
      }
      case 'item_reference': {
        const found = referred.get(String(item['id']))
        if (!found)
          throw badRequest(`There is no item ${JSON.stringify(item['id'])} in a stored response.`, `${param}.id`)
        add(found, param)
        return
      }
      default:
        throw badRequest(`Items of the type ${JSON.stringify(item.type)} are not supported.`, `${param}.type`)
    }
  }

  for (const [at, item] of input.entries()) add(item, `input[${at}]`)
  close()
  return messages
}

function hasWords({ text, parts }: Draft): boolean {
  return text !== '' || parts.length > 0
}

function assistantMessage({ text, parts, calls, reasoning }: Draft): ChatMessage {
  const content = parts.length > 0 ? parts : text
  return {
    role: 'assistant',
    content: content === '' && calls.length > 0 ? null : content,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(reasoning.length > 0 && { [reasoningField]: reasoning }),
  }
}

function addWords(draft: Draft, content: string | readonly Fields[], param: string): void {
  const words = contentOf(content, param)
  if (typeof words === 'string') draft.text += words
  // Text alone is text: endpoints that know no parts understand it.
  else if (words.every((part) => part.type === 'text')) draft.text += words.map((part) => part['text']).join('')
  else draft.parts.push(...words)
}

function callOf(item: Fields, text: string, param: string): Fields {
  const called = { name: chatNameOf(textIn(item, 'name', param), item['namespace']), arguments: text }
  return { id: textIn(item, 'call_id', param), type: 'function', function: called }
}

function textIn(item: Fields, field: string, param: string): string {
  const value = item[field]
  if (typeof value !== 'string') throw badRequest('must be a text', `${param}.${field}`)
  return value
}

/** The text of a tool's result is a text, as every endpoint takes it. */
function outputOf(output: unknown, param: string): string | ContentPart[] {
  if (typeof output === 'string') return output
  if (!Array.isArray(output)) throw badRequest('must be a text or a list of parts', param)
  const parts = output.map((part: unknown, at) => partOf(part, `${param}[${at}]`))
  return parts.every((part) => part.type === 'text') ? parts.map((part) => part['text']).join('') : parts
}

function contentOf(content: string | readonly Fields[], param: string): string | ContentPart[] {
  return typeof content === 'string' ? content : content.map((part, at) => partOf(part, `${param}[${at}]`))
}

function partOf(part: unknown, param: string): ContentPart {
  if (!isFields(part)) throw badRequest('must be a part', param)
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return { type: 'text', text: textIn(part, 'text', param) }
    case 'refusal':
      return { type: 'refusal', refusal: textIn(part, 'refusal', param) }
    case 'input_image': {
      if (typeof part['image_url'] !== 'string')
        throw badRequest('An image is given by its image_url; files are not stored here.', `${param}.image_url`)
      const { image_url: url, detail } = part
      return { type: 'image_url', image_url: { url, ...(typeof detail === 'string' && { detail }) } }
    }
    case 'input_file': {
      if (typeof part['file_data'] !== 'string')
        throw badRequest('A file is given by its file_data; files are not stored here.', `${param}.file_data`)
      const { file_data, filename } = part
      return { type: 'file', file: { file_data, ...(typeof filename === 'string' && { filename }) } }
    }
    case 'input_audio':
      return { type: 'input_audio', input_audio: part['input_audio'] }
    default:
      throw badRequest(`Parts of the type ${JSON.stringify(part['type'])} are not supported.`, `${param}.type`)
  }
}
