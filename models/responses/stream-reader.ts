/** Reads the events of a streamed response into the deltas of the chat convention. */
import type { EventSourceMessage } from 'eventsource-parser'
import { TextPile } from '../../runtime/text-pile.ts'
import type { StreamedAnswerReader } from '../http/dialect.ts'
import { EventStream } from '../http/event-stream.ts'
import { answerTooLarge, type EndpointLabel, errorInAnswer, malformedAnswer, streamCut } from '../http/failures.ts'
import { type Fields, isRecord, nameOrUndefined, textOrBlank } from '../http/fields.ts'
import { generatedText } from '../http/generated-text.ts'
import { parseObject } from '../http/parse-object.ts'
import { answerTextCharactersMax } from '../http/stream-limits.ts'
import { outputItemsField } from '../output-items-field.ts'
import { reasoningField } from '../reasoning-field.ts'
import type { DeltaSink, ModelDelta, Usage } from '../transport.ts'
import {
  chatAnnotation,
  extraIn,
  failureIn,
  finishReasonOf,
  isOtherItem,
  otherItemsIn,
  outputTextIn,
  responsesUsage,
} from './answer.ts'
import { reasoningIn } from './reasoning.ts'
import { isCallItem, StreamedCalls } from './streamed-calls.ts'

/** The one choice of this style. */
const choice = 0

export class ResponsesReader implements StreamedAnswerReader {
  model: string | undefined
  usage: Usage | undefined
  extra: Record<string, unknown> = {}
  hasEmitted = false
  isComplete = false
  readonly #sink: DeltaSink
  readonly #modelByDefault: string
  readonly #endpoint: EndpointLabel
  readonly #events = new EventStream((event) => this.#event(event))
  readonly #calls = new StreamedCalls()
  readonly #answerText = new TextPile()
  /** Text or a refusal was passed on: the items at the end hold no more of it. */
  #hasText = false
  #hasReasoning = false
  #hasEvents = false
  #hasRoom = true
  /** Those that are done: an endpoint may send them and no deltas, and no list at the end. */
  readonly #messages: unknown[] = []
  /** Reasoning and calls that are done. */
  readonly #inOrder: unknown[] = []
  /** Items of sealed reasoning that were passed on. */
  #sealedCount = 0
  /** False: an item was not sealed, or they are too many; then none is passed on any more. */
  #canSeal = true
  /** Annotations that were passed on. */
  #annotationCount = 0
  /** Items that the chat convention has no place for, passed on. */
  readonly #otherIds = new Set<string>()

  constructor(sink: DeltaSink, modelByDefault: string, endpoint: EndpointLabel) {
    this.#sink = sink
    this.#modelByDefault = modelByDefault
    this.#endpoint = endpoint
  }

  get answerText(): string {
    return this.#answerText.toString()
  }

  data(bytes: Buffer): boolean {
    this.#hasRoom = true
    this.#events.feed(this.#events.text(bytes))
    return this.#hasRoom || this.isComplete
  }

  end(): void {
    if (!this.isComplete) this.#events.end()
    if (this.isComplete) return
    if (!this.#hasEvents && this.#events.bytesTotal > 0) throw malformedAnswer('a body without events')
    throw streamCut()
  }

  #event({ data, event: name }: EventSourceMessage): void {
    if (this.isComplete || data.trim() === '') return
    this.#hasEvents = true
    if (data.startsWith('[DONE]')) {
      // Without a last event before it: the answer is complete, as in the chat convention.
      if (!this.hasEmitted && this.#messages.length === 0) throw streamCut()
      this.#finish({})
      return
    }
    const event = parseObject(data, 'an event')
    this.#read(typeof event['type'] === 'string' ? event['type'] : (name ?? ''), event)
  }

  #read(type: string, event: Fields): void {
    switch (type) {
      case 'response.created':
      case 'response.in_progress':
        this.#describe(fieldsOf(event['response']))
        return
      case 'response.output_text.delta':
        this.#text(textOrBlank(event['delta']), event['logprobs'])
        return
      case 'response.output_text.annotation.added':
        this.#annotations([fieldsOf(event['annotation'])])
        return
      case 'response.refusal.delta':
        this.#hasText = true
        this.#raw('refusal', textOrBlank(event['delta']))
        return
      case 'response.reasoning_summary_part.added':
        if (this.#hasReasoning) this.#raw('reasoning_content', '\n\n')
        return
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        this.#hasReasoning = true
        this.#raw('reasoning_content', textOrBlank(event['delta']))
        return
      case 'response.output_item.added':
        this.#item(fieldsOf(event['item']), event['output_index'], false)
        return
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        this.#pieces(this.#calls.argumentsDelta(event))
        return
      case 'response.function_call_arguments.done':
      case 'response.custom_tool_call_input.done':
        this.#pieces(this.#calls.argumentsDone(event))
        return
      case 'response.output_item.done':
        this.#item(fieldsOf(event['item']), event['output_index'], true)
        return
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        this.#ended(type, fieldsOf(event['response']))
        return
      case 'error':
        throw errorInAnswer(event['error'] ?? event, this.#endpoint)
      default:
        // Nothing in the other events (parts begun and ended, searches, kinds yet to come) belongs in the answer; but some
        // endpoints send an error as they do in the other style.
        if (event['error']) throw errorInAnswer(event['error'], this.#endpoint)
    }
  }

  #describe(response: Fields): void {
    this.model = nameOrUndefined(response['model']) ?? this.model
    this.usage = responsesUsage(response['usage'], this.usage) ?? this.usage
    this.extra = { ...this.extra, ...extraIn(response) }
  }

  #item(item: Fields, place: unknown, isDone: boolean): void {
    const isCall = isCallItem(item)
    if (isCall) this.#pieces(isDone ? this.#calls.itemDone(item, place) : this.#calls.itemAdded(item, place))
    if (!isDone) return
    if (item['type'] === 'message') this.#messages.push(item)
    if (isOtherItem(item)) this.#others([item])
    if (!this.#canSeal || !(isCall || item['type'] === 'reasoning')) return
    this.#inOrder.push(item)
    if (item['type'] === 'reasoning') this.#canSeal = this.#sealedReasoning(this.#inOrder)
  }

  /** What the chat convention has no place for, as it came: each once. */
  #others(items: readonly Fields[]): void {
    const fresh = items.filter((item) => !this.#otherIds.has(keyOf(item)))
    if (fresh.length === 0) return
    for (const item of fresh) this.#otherIds.add(keyOf(item))
    this.#emit({ kind: 'raw', choice, delta: {}, fields: { [outputItemsField]: fresh } })
  }

  #annotations(annotations: readonly Fields[]): void {
    if (annotations.length === 0) return
    this.#annotationCount += annotations.length
    this.#emit({ kind: 'raw', choice, delta: { annotations: annotations.map(chatAnnotation) } })
  }

  /** In the place where it came: whoever sends it back sends it before what it led to. @returns whether there is some */
  #sealedReasoning(items: readonly unknown[]): boolean {
    const reasoning = reasoningIn(items)
    if (reasoning && reasoning.length !== this.#sealedCount) {
      this.#sealedCount = reasoning.length
      this.#emit({ kind: 'raw', choice, delta: { [reasoningField]: reasoning } })
    }
    return reasoning !== undefined
  }

  #ended(type: string, response: Fields): void {
    this.#describe(response)
    const status = type.slice('response.'.length)
    const failure = failureIn({ ...response, status }, this.#endpoint)
    if (failure) throw failure
    this.#finish({ ...response, status })
  }

  /** What never came in deltas is passed on now, then the finish. */
  #finish(response: Fields): void {
    const output = Array.isArray(response['output']) ? response['output'].filter(isRecord) : []
    const messages = output.length > 0 ? output : this.#messages
    if (!this.#hasText) {
      const { text, refusal, logprobs } = outputTextIn(messages)
      this.#text(text, logprobs)
      this.#raw('refusal', refusal)
    }
    this.#annotations(outputTextIn(messages).annotations.slice(this.#annotationCount))
    this.#pieces(this.#calls.remainingOf(output.filter(isCallItem)))
    this.#others(otherItemsIn(output))
    this.#sealedReasoning(output)
    this.#emit({ kind: 'finish', choice, finishReason: finishReasonOf(response, this.#calls.count > 0) })
    this.isComplete = true
  }

  #text(text: string, logprobs?: unknown): void {
    if (text === '') return
    this.#hasText = true
    this.#generated(text)
    if (!Array.isArray(logprobs) || logprobs.length === 0) this.#emit({ kind: 'text', choice, text })
    else this.#emit({ kind: 'raw', choice, delta: { content: text }, logprobs: { content: logprobs, refusal: null } })
  }

  #raw(field: string, text: string): void {
    if (text === '') return
    this.#generated(text)
    this.#emit({ kind: 'raw', choice, delta: { [field]: text } })
  }

  #pieces(pieces: Record<string, unknown>[]): void {
    if (pieces.length === 0) return
    this.#generated(generatedText(pieces))
    this.#emit({ kind: 'raw', choice, delta: { tool_calls: pieces } })
  }

  /** The model is named with the first delta, not when the response is created: until then a failure may be retried. */
  #generated(words: string): void {
    if (this.#answerText.length > answerTextCharactersMax)
      throw answerTooLarge(`an answer of more than ${answerTextCharactersMax} characters`)
    this.#answerText.add(words)
  }

  #emit(delta: ModelDelta): void {
    if (!this.hasEmitted) {
      this.hasEmitted = true
      const model = this.model ?? this.#modelByDefault
      if (!this.#sink.delta({ kind: 'model', model, extra: { ...this.extra } })) this.#hasRoom = false
    }
    if (!this.#sink.delta(delta)) this.#hasRoom = false
  }
}

const keyOf = (item: Fields): string => (typeof item['id'] === 'string' ? item['id'] : JSON.stringify(item))

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {}
}
