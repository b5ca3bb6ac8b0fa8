/**
 * Writes the events of a streamed response: items are opened by their first delta and closed by what follows them. What
 * stays the same through an item is serialised once; a delta of text costs one JSON string.
 */
import type { TurnDelta } from '../../actors/turn/messages.ts'
import { reasoningField } from '../../models/reasoning-field.ts'
import type { ModelDelta, Usage } from '../../models/transport.ts'
import { TextPile } from '../../runtime/text-pile.ts'
import { chatNameOf, isFields } from './chat-tools.ts'
import { itemId } from './ids.ts'
import {
  annotationsOf,
  type CalledTool,
  calledIn,
  callItem,
  type ItemStatus,
  inputOf,
  messageItem,
  type OutputForm,
  otherItems,
  outputOf,
  reasoningItem,
  sealedItems,
  summaryOf,
  summaryPart,
  textPart,
} from './output.ts'
import { incompleteReason, type ResponseParts, type ResponseState, responseObject } from './response-object.ts'

type Fields = Record<string, unknown>

/** How an answer ended, as the turn's outcome has it. */
export interface EndedAnswer {
  model: string
  finishReason: string | null
  message: Fields
  logprobs: unknown
  /** Items that have no place in the message. */
  others: readonly Fields[]
  usage: Usage
  extra: Fields
}

/**
 * Of all that stands beside the words, in characters: annotations, likelihoods, items of the endpoint's own tools. Each is sent
 * in an event of its own; past this the lists in the last events, which are serialised in one go, are not continued.
 */
const besideCharactersMax = 4_194_304

/** Of one comment about an agent's progress. */
const progressCharactersMax = 200

interface OpenMessage {
  kind: 'message'
  place: number
  /** Its parts in their order: the index is the content_index. */
  parts: OpenPart[]
}

interface OpenPart {
  type: 'text' | 'refusal'
  text: TextPile
  logprobs: unknown[]
  annotations: Fields[]
  /** Of all that were told of. */
  annotationCount: number
}

interface OpenReasoning {
  kind: 'reasoning'
  place: number
  text: TextPile
}

interface OpenCall extends Omit<CalledTool, 'text'> {
  kind: 'call'
  place: number
  text: TextPile
}

export class ResponseEvents {
  /** Of the next event. */
  sequence = 0
  readonly #parts: ResponseParts
  readonly #form: OutputForm
  readonly #output: Fields[] = []
  #model: string
  #message: OpenMessage | undefined
  #reasoning: OpenReasoning | undefined
  /** By the index that the model gave. */
  readonly #calls = new Map<number, OpenCall>()
  #places = 0
  #besideRoom = besideCharactersMax
  #sealedCount = 0
  #status: ItemStatus = 'completed'
  /** The beginning and the end of a text delta of the open part. */
  #textBefore = ''
  readonly #textAfter = ',"logprobs":[],"sequence_number":'

  constructor(parts: ResponseParts, form: OutputForm) {
    this.#parts = parts
    this.#form = form
    this.#model = parts.model
  }

  opening(): string {
    const { background } = this.#parts.repeated
    const queued = background
      ? this.#response('response.created', { status: 'queued' }) +
        this.#response('response.queued', { status: 'queued' })
      : this.#response('response.created', { status: 'in_progress' })
    return queued + this.#response('response.in_progress', { status: 'in_progress' })
  }

  /** Empty where nothing goes to the client. */
  delta(delta: TurnDelta): string {
    switch (delta.kind) {
      case 'text':
        return this.#text(delta)
      case 'raw':
        return this.#raw(delta)
      case 'finish':
        this.#status = incompleteReason(delta.finishReason) === null ? 'completed' : 'incomplete'
        return this.#close()
      case 'progress':
        return `: ${delta.words.replaceAll(/[\r\n]+/g, ' ').slice(0, progressCharactersMax)}\n\n`
      case 'model':
        this.#model = delta.model
        return ''
      case 'accepted':
        return ''
      default:
        return delta satisfies never
    }
  }

  /** @param completedS when, in seconds */
  ended(answer: EndedAnswer, completedS: number): string {
    const { model, finishReason, usage, extra } = answer
    this.#model = model
    const incomplete = incompleteReason(finishReason)
    this.#status = incomplete === null ? 'completed' : 'incomplete'
    const rest = this.#places === 0 ? this.#whole(answer) : this.#close()
    const status = incomplete === null ? 'completed' : 'incomplete'
    const state = {
      status,
      output: this.#inOrder(),
      usage,
      incomplete,
      extra,
      ...(incomplete === null && { completedS }),
    } as const
    return rest + this.#response(`response.${status}`, state)
  }

  failed(error: { code: string; message: string }): string {
    return this.#response('response.failed', { status: 'failed', error })
  }

  /** The last event of a response that ended otherwise. */
  last(state: ResponseState): string {
    return this.#response(`response.${state.status}`, state)
  }

  error(code: string, message: string, param: string | null = null): string {
    return this.#event('error', { code, message, param })
  }

  // ---- text and refusals ----

  #text({ text, pieces }: ModelDelta & { kind: 'text' }): string {
    let events = this.#openPart('text')
    const { text: pile } = this.#lastPart()
    pile.add(text)
    if (!pieces) return `${events}${this.#textBefore}${JSON.stringify(text)}${this.#textAfter}${this.sequence++}}\n\n`
    for (const piece of pieces) events += `${this.#textBefore}"${piece}"${this.#textAfter}${this.sequence++}}\n\n`
    return events
  }

  #openPart(type: OpenPart['type']): string {
    let events = ''
    if (!this.#message) {
      events = this.#closeReasoning()
      this.#message = { kind: 'message', place: this.#places++, parts: [] }
      events += this.#itemAdded(this.#message.place, messageItem(this.#messageId(), [], 'in_progress'))
    }
    const { parts } = this.#message
    if (parts.at(-1)?.type === type) return events
    events += this.#closePart()
    parts.push({ type, text: new TextPile(), logprobs: [], annotations: [], annotationCount: 0 })
    const part = type === 'text' ? textPart('') : { type: 'refusal', refusal: '' }
    events += this.#event('response.content_part.added', { ...this.#partPlace(), part })
    if (type === 'text') {
      const head = JSON.stringify({ type: 'response.output_text.delta', ...this.#partPlace() }).slice(0, -1)
      this.#textBefore = `event: response.output_text.delta\ndata: ${head},"delta":`
    }
    return events
  }

  #lastPart(): OpenPart {
    const part = this.#message?.parts.at(-1)
    if (!part) throw new Error('no part of a message is open')
    return part
  }

  #messageId(): string {
    return itemId('message', this.#form.turn, this.#message?.place ?? 0)
  }

  #partPlace(): Fields {
    const { place = 0, parts = [] } = this.#message ?? {}
    return { item_id: this.#messageId(), output_index: place, content_index: Math.max(0, parts.length - 1) }
  }

  #closePart(): string {
    const part = this.#message?.parts.at(-1)
    if (!part) return ''
    const text = part.text.toString()
    const place = this.#partPlace()
    const done =
      part.type === 'text'
        ? this.#event('response.output_text.done', { ...place, text, logprobs: part.logprobs })
        : this.#event('response.refusal.done', { ...place, refusal: text })
    return done + this.#event('response.content_part.done', { ...place, part: wholePart(part) })
  }

  #closeMessage(): string {
    const message = this.#message
    if (!message) return ''
    const events = this.#closePart()
    const item = messageItem(this.#messageId(), message.parts.map(wholePart), this.#status)
    this.#message = undefined
    return events + this.#itemDone(message.place, item)
  }

  // ---- everything else ----

  #raw({ delta, logprobs, fields }: ModelDelta & { kind: 'raw' }): string {
    let events = ''
    const { content, refusal, annotations, tool_calls: calls } = delta
    const reasoning = delta['reasoning_content'] ?? delta['reasoning']
    if (typeof reasoning === 'string' && reasoning !== '') events += this.#reasoningText(reasoning)
    if (delta[reasoningField] !== undefined) events += this.#sealed(delta)
    if (typeof content === 'string' && content !== '') events += this.#textWith(content, logprobs)
    if (typeof refusal === 'string' && refusal !== '') events += this.#refusal(refusal)
    if (Array.isArray(annotations)) events += this.#annotations(annotations)
    if (Array.isArray(calls))
      for (const [at, piece] of calls.entries()) if (isFields(piece)) events += this.#callPiece(piece, at)
    for (const item of otherItems(fields)) events += this.#closeReasoning() + this.#wholeItem(item)
    return events
  }

  #textWith(text: string, logprobs: unknown): string {
    const events = this.#openPart('text')
    const part = this.#lastPart()
    part.text.add(text)
    const tokens = isFields(logprobs) && Array.isArray(logprobs['content']) ? logprobs['content'] : []
    const event = this.#event('response.output_text.delta', { ...this.#partPlace(), delta: text, logprobs: tokens })
    if (tokens.length > 0 && this.#hasRoomFor(event)) part.logprobs.push(...tokens)
    return events + event
  }

  #refusal(text: string): string {
    const events = this.#openPart('refusal')
    this.#lastPart().text.add(text)
    return events + this.#event('response.refusal.delta', { ...this.#partPlace(), delta: text })
  }

  #annotations(annotations: readonly unknown[]): string {
    let events = this.#openPart('text')
    const part = this.#lastPart()
    for (const annotation of annotationsOf(annotations)) {
      const place = { ...this.#partPlace(), annotation_index: part.annotationCount++, annotation }
      const event = this.#event('response.output_text.annotation.added', place)
      if (this.#hasRoomFor(event)) part.annotations.push(annotation)
      events += event
    }
    return events
  }

  #hasRoomFor({ length }: string): boolean {
    this.#besideRoom -= length
    return this.#besideRoom >= 0
  }

  #reasoningText(text: string): string {
    let events = ''
    if (!this.#reasoning) {
      this.#reasoning = { kind: 'reasoning', place: this.#places++, text: new TextPile() }
      events += this.#itemAdded(this.#reasoning.place, reasoningItem(this.#form, this.#reasoning.place, [], ''))
      events += this.#event('response.reasoning_summary_part.added', { ...this.#summaryPlace(), part: summaryPart('') })
    }
    this.#reasoning.text.add(text)
    return events + this.#event('response.reasoning_summary_text.delta', { ...this.#summaryPlace(), delta: text })
  }

  #summaryPlace(): Fields {
    const place = this.#reasoning?.place ?? 0
    return { item_id: itemId('reasoning', this.#form.turn, place), output_index: place, summary_index: 0 }
  }

  /** @param sealed absent: the endpoint gave none */
  #closeReasoning(sealed?: unknown): string {
    const reasoning = this.#reasoning
    if (!reasoning) return ''
    const text = reasoning.text.toString()
    const place = this.#summaryPlace()
    this.#reasoning = undefined
    const item = reasoningItem(this.#form, reasoning.place, [summaryPart(text)], sealed)
    return (
      this.#event('response.reasoning_summary_text.done', { ...place, text }) +
      this.#event('response.reasoning_summary_part.done', { ...place, part: summaryPart(text) }) +
      this.#itemDone(reasoning.place, item)
    )
  }

  /** Sealed reasoning comes as the list of all so far. */
  #sealed(delta: Fields): string {
    const items = sealedItems(delta)
    let events = ''
    for (const { item } of items.slice(this.#sealedCount)) {
      if (this.#reasoning) {
        events += this.#closeReasoning(item['encrypted_content'])
        continue
      }
      const place = this.#places++
      events += this.#itemAdded(place, reasoningItem(this.#form, place, [], ''))
      events += this.#itemDone(place, reasoningItem(this.#form, place, summaryOf(item), item['encrypted_content']))
    }
    this.#sealedCount = Math.max(this.#sealedCount, items.length)
    return events
  }

  #callPiece(piece: Fields, at: number): string {
    const index = Number(piece['index'] ?? at)
    const { callId, name, text, isFreeText } = calledIn(piece)
    let events = ''
    let call = this.#calls.get(index)
    if (!call) {
      events = this.#closeReasoning() + this.#closeMessage()
      call = { kind: 'call', place: this.#places++, callId, name, isFreeText, text: new TextPile() }
      this.#calls.set(index, call)
      events += this.#itemAdded(call.place, this.#callItem(call, 'in_progress'))
    }
    if (call.name === '') call.name = name
    if (text === '') return events
    call.text.add(text)
    if (call.isFreeText) return events + this.#inputDelta(call.place, text)
    if (this.#form.tools.get(call.name)?.isCustom) return events
    const place = { item_id: itemId('function_call', this.#form.turn, call.place), output_index: call.place }
    return events + this.#event('response.function_call_arguments.delta', { ...place, delta: text })
  }

  #inputPlace(place: number): Fields {
    return { item_id: itemId('custom_tool_call', this.#form.turn, place), output_index: place }
  }

  #inputDelta(place: number, delta: string): string {
    return this.#event('response.custom_tool_call_input.delta', { ...this.#inputPlace(place), delta })
  }

  #callItem(call: OpenCall, status: ItemStatus): Fields {
    return callItem(this.#form, call.place, { ...call, text: call.text.toString(), status })
  }

  #closeCall(call: OpenCall): string {
    const { turn, tools } = this.#form
    const text = call.text.toString()
    if (call.isFreeText || tools.get(call.name)?.isCustom) {
      const input = inputOf({ text, isFreeText: call.isFreeText })
      return (
        // Arguments were collected: free text could not be told from them piece by piece.
        (call.isFreeText ? '' : this.#inputDelta(call.place, input)) +
        this.#event('response.custom_tool_call_input.done', { ...this.#inputPlace(call.place), input }) +
        this.#itemDone(call.place, this.#callItem(call, this.#status))
      )
    }
    const place = { item_id: itemId('function_call', turn, call.place), output_index: call.place }
    return (
      this.#event('response.function_call_arguments.done', {
        ...place,
        name: tools.get(call.name)?.name ?? call.name,
        arguments: text,
      }) + this.#itemDone(call.place, this.#callItem(call, this.#status))
    )
  }

  #close(): string {
    let events = this.#closeReasoning() + this.#closeMessage()
    for (const call of this.#calls.values()) events += this.#closeCall(call)
    this.#calls.clear()
    return events
  }

  /** An answer of which nothing came in deltas. */
  #whole({ message, logprobs, others }: EndedAnswer): string {
    let events = ''
    for (const item of outputOf(this.#form, message, { logprobs, status: this.#status, others })) {
      if (item['type'] === 'message') events += this.#wholeMessage(item['content'] as Fields[])
      else if (item['type'] === 'function_call' || item['type'] === 'custom_tool_call')
        events += this.#callPiece({ index: this.#places, ...chatCall(item) }, 0)
      else events += this.#wholeItem(item)
    }
    return events + this.#close()
  }

  #wholeMessage(parts: readonly Fields[]): string {
    let events = ''
    for (const part of parts) {
      if (part['type'] === 'refusal') events += this.#refusal(String(part['refusal']))
      else
        events +=
          this.#textWith(String(part['text']), { content: part['logprobs'] }) +
          this.#annotations(part['annotations'] as Fields[])
    }
    return events
  }

  #wholeItem(item: Fields): string {
    const place = this.#places++
    const opened = item['type'] === 'reasoning' ? { ...item, summary: [] } : item
    const added = this.#itemAdded(place, opened)
    const done = this.#event('response.output_item.done', { output_index: place, item })
    if (this.#hasRoomFor(done)) this.#output[place] = item
    return added + done
  }

  // ---- events ----

  /** Items may end in another order than they began. */
  #inOrder(): Fields[] {
    return this.#output.filter((item) => item !== undefined)
  }

  #itemAdded(place: number, item: Fields): string {
    return this.#event('response.output_item.added', { output_index: place, item })
  }

  #itemDone(place: number, item: Fields): string {
    this.#output[place] = item
    return this.#event('response.output_item.done', { output_index: place, item })
  }

  #response(type: string, state: ResponseState): string {
    return this.#event(type, { response: responseObject({ ...this.#parts, model: this.#model }, state) })
  }

  #event(type: string, fields: Fields): string {
    return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields, sequence_number: this.sequence++ })}\n\n`
  }
}

function chatCall({ type, name, namespace, call_id: id, arguments: text, input }: Fields): Fields {
  const called = { name: chatNameOf(String(name), namespace) }
  return type === 'custom_tool_call'
    ? { id, custom: { ...called, input } }
    : { id, function: { ...called, arguments: text } }
}

function wholePart({ type, text, logprobs, annotations }: OpenPart): Fields {
  if (type === 'refusal') return { type, refusal: text.toString() }
  return { ...textPart(text.toString()), annotations, logprobs }
}
