/** The message of a chat answer as the output items of a response, and its finish as their status. */
import { outputItemsField } from '../../models/output-items-field.ts'
import { reasoningField } from '../../models/reasoning-field.ts'
import type { MessageId, TurnId } from '../../store/id.ts'
import { type ClientTool, customInputOf, isFields } from './chat-tools.ts'
import { itemId } from './ids.ts'

type Fields = Record<string, unknown>
export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

export interface OutputForm {
  turn: TurnId
  /** By their names in the chat API. */
  tools: ReadonlyMap<string, ClientTool>
  includesSealedReasoning: boolean
}

export function outputOf(
  form: OutputForm,
  message: Fields,
  choice: { logprobs?: unknown; status: ItemStatus; others?: readonly Fields[] },
): Fields[] {
  const items: Fields[] = []
  const place = () => items.length
  const summary = textOf(message['reasoning_content']) || textOf(message['reasoning'])
  const sealed = sealedItems(message)
  const reasoningBefore = (calls: number) => {
    for (const { callsBefore, item } of sealed) {
      if (callsBefore === calls) items.push(reasoningItem(form, place(), summaryOf(item), item['encrypted_content']))
    }
  }
  if (sealed.length === 0 && summary !== '') items.push(reasoningItem(form, 0, [summaryPart(summary)], undefined))
  reasoningBefore(0)
  if (choice.others) items.push(...choice.others)
  const calls = Array.isArray(message['tool_calls']) ? message['tool_calls'].filter(isFields) : []
  const parts = partsOf(message, choice.logprobs)
  if (parts.length > 0 || calls.length === 0) {
    const content = parts.length > 0 ? parts : [textPart('')]
    items.push(messageItem(itemId('message', form.turn, place()), content, choice.status))
  }
  for (const [at, call] of calls.entries()) {
    if (at > 0) reasoningBefore(at)
    items.push(callItem(form, place(), { ...calledIn(call), status: choice.status }))
  }
  return items
}

export interface SealedItem {
  callsBefore: number
  item: Fields
}

export function sealedItems(message: Fields): SealedItem[] {
  const placed = message[reasoningField]
  if (!Array.isArray(placed)) return []
  return placed.flatMap((each: unknown) =>
    isFields(each) && isFields(each['item'])
      ? [{ callsBefore: Number(each['calls_before']) || 0, item: each['item'] }]
      : [],
  )
}

export function summaryOf(item: Fields): Fields[] {
  return Array.isArray(item['summary']) ? item['summary'].filter(isFields) : []
}

export const summaryPart = (text: string): Fields => ({ type: 'summary_text', text })

export function reasoningItem(
  { turn, includesSealedReasoning }: OutputForm,
  place: number,
  summary: Fields[],
  sealed: unknown,
): Fields {
  const item = { id: itemId('reasoning', turn, place), type: 'reasoning', summary }
  return includesSealedReasoning && typeof sealed === 'string' ? { ...item, encrypted_content: sealed } : item
}

function partsOf({ content, refusal, annotations }: Fields, logprobs: unknown): Fields[] {
  const parts: Fields[] = []
  const text = Array.isArray(content) ? content.map((part) => textOf(part?.text)).join('') : textOf(content)
  if (text !== '') parts.push({ ...textPart(text, logprobs), annotations: annotationsOf(annotations) })
  if (textOf(refusal) !== '') parts.push({ type: 'refusal', refusal })
  return parts
}

export function textPart(text: string, logprobs?: unknown): Fields {
  const tokens = isFields(logprobs) && Array.isArray(logprobs['content']) ? logprobs['content'] : []
  return { type: 'output_text', text, annotations: [], logprobs: tokens }
}

/** The chat API keeps the fields of a citation in one of their own. */
export function annotationsOf(annotations: unknown): Fields[] {
  if (!Array.isArray(annotations)) return []
  return annotations.filter(isFields).map((annotation) => {
    const { type, url_citation: citation } = annotation
    return type === 'url_citation' && isFields(citation) ? { type, ...citation } : annotation
  })
}

export function messageItem(id: string, content: Fields[], status: ItemStatus): Fields {
  return { id, type: 'message', status, role: 'assistant', content }
}

export interface CalledTool {
  callId: string
  name: string
  /** Arguments, or free text. */
  text: string
  /** The endpoint itself knows tools that take free text; otherwise they are functions of one argument to it. */
  isFreeText: boolean
}

export function calledIn({ id, function: called, custom }: Fields): CalledTool {
  const callId = textOf(id)
  if (isFields(custom)) return { callId, name: textOf(custom['name']), text: textOf(custom['input']), isFreeText: true }
  const { name, arguments: text } = isFields(called) ? called : {}
  return { callId, name: textOf(name), text: textOf(text), isFreeText: false }
}

/** Items that the chat API has no place for, such as the endpoint's own searches, as they came. */
export function otherItems(fields: object | undefined): Fields[] {
  const items = (fields as Fields | undefined)?.[outputItemsField]
  return Array.isArray(items) ? items.filter(isFields) : []
}

export function callItem(
  { turn, tools }: OutputForm,
  place: number,
  call: CalledTool & { status: ItemStatus },
): Fields {
  return clientCall(tools, { owner: turn, place, ...call })
}

/** A call as the client's own tools are named. */
export function clientCall(
  tools: OutputForm['tools'],
  call: CalledTool & { owner: TurnId | MessageId; place: number; status: ItemStatus },
): Fields {
  const { owner, place, status, callId, text, isFreeText } = call
  const { isCustom = isFreeText, ...called } = tools.get(call.name) ?? { name: call.name }
  const type = isCustom ? 'custom_tool_call' : 'function_call'
  const input = isCustom ? { input: inputOf(call) } : { arguments: text }
  return { id: itemId(type, owner, place), type, status, call_id: callId, ...called, ...input }
}

export function inputOf({ text, isFreeText }: Pick<CalledTool, 'text' | 'isFreeText'>): string {
  return isFreeText || text === '' ? text : customInputOf(text)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
