/** Puts the deltas of a streamed answer together again: what a conversation stores and the next turn reads. */
import type { ModelChoice, ModelDelta } from '../../../models/transport.ts'
import { TextPile } from '../../../runtime/text-pile.ts'

export interface StreamTranscript {
  add(delta: ModelDelta): void
  choices(): ModelChoice[]
}

/** Of one message; what comes past them has gone to the reader, and is not kept. */
const fieldsMax = 1_000
const annotationsMax = 10_000

interface Draft {
  text: TextPile
  fields: Record<string, unknown>
  /** Names that came. */
  fieldCount: number
  toolCalls: Map<number, ToolCallDraft>
  finishReason: string | null
}

interface ToolCallDraft {
  id?: string
  type?: string
  function: { name: string; arguments: string }
  /** Of a tool that takes free text, in place of `function`. */
  custom?: { name: string; input: string }
}

export function streamTranscript(): StreamTranscript {
  const drafts = new Map<number, Draft>()

  function draftOf(choice: number): Draft {
    let found = drafts.get(choice)
    if (!found) {
      found = { text: new TextPile(), fields: {}, fieldCount: 0, toolCalls: new Map(), finishReason: null }
      drafts.set(choice, found)
    }
    return found
  }

  return {
    add(delta) {
      switch (delta.kind) {
        case 'text':
          draftOf(delta.choice).text.add(delta.text)
          return
        case 'raw':
          addFields(draftOf(delta.choice), delta.delta)
          return
        case 'finish':
          draftOf(delta.choice).finishReason = delta.finishReason
          return
        case 'model':
          return
        default:
          delta satisfies never
      }
    },
    choices: () =>
      Array.from(drafts.entries(), ([index, draft]) => ({
        index,
        message: messageOf(draft),
        finish_reason: draft.finishReason ?? 'stop',
      })).sort((a, b) => a.index - b.index),
  }
}

/**
 * Text fields (reasoning_content, refusal) come in pieces, annotations one by one, tool calls in pieces by index; the rest
 * comes whole.
 */
function addFields(draft: Draft, fields: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'role' || value === null || value === undefined) continue
    if (name === 'content' && typeof value === 'string') draft.text.add(value)
    else if (name === 'tool_calls' && Array.isArray(value))
      for (const [at, piece] of value.entries()) addToolCall(draft, at, piece)
    else if (typeof value === 'string' && typeof draft.fields[name] === 'string')
      draft.fields[name] = draft.fields[name] + value
    else if (name === 'annotations' && Array.isArray(value)) addAnnotations(draft, value)
    else setField(draft, name, value)
  }
}

function setField(draft: Draft, name: string, value: unknown): void {
  if (draft.fields[name] === undefined && ++draft.fieldCount > fieldsMax) return
  draft.fields[name] = value
}

/** In place: an endpoint may send them one by one, and does not get to have them copied each time. */
function addAnnotations(draft: Draft, more: readonly unknown[]): void {
  const kept = draft.fields['annotations']
  if (Array.isArray(kept)) for (const each of more.slice(0, annotationsMax - kept.length)) kept.push(each)
  else setField(draft, 'annotations', more.slice(0, annotationsMax))
}

function addToolCall(draft: Draft, at: number, piece: unknown): void {
  if (typeof piece !== 'object' || piece === null) return
  const {
    index = at,
    id,
    type,
    function: called,
    custom,
  } = piece as {
    index?: number
    id?: string
    type?: string
    function?: { name?: string; arguments?: string }
    custom?: { name?: string; input?: string }
  }
  const call = draft.toolCalls.get(index) ?? { function: { name: '', arguments: '' } }
  if (id) call.id = id
  if (type) call.type = type
  call.function.name += called?.name ?? ''
  call.function.arguments += called?.arguments ?? ''
  if (custom) {
    call.custom ??= { name: '', input: '' }
    call.custom.name += custom.name ?? ''
    call.custom.input += custom.input ?? ''
  }
  draft.toolCalls.set(index, call)
}

function messageOf(draft: Draft): Record<string, unknown> {
  const calls = [...draft.toolCalls.entries()]
    .sort(([a], [b]) => a - b)
    .map(([, { function: called, custom, ...call }]) =>
      custom ? { type: 'custom', ...call, custom } : { type: 'function', ...call, function: called },
    )
  const text = draft.text.toString()
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...draft.fields,
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}
