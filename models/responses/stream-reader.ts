/** Reads the events of a streamed response into the deltas of the chat convention. */
import type { EventSourceMessage } from 'eventsource-parser'
import { TextPile } from '../../runtime/text-pile.ts'
import { generatedText } from '../chat/chunk.ts'
import type { StreamedAnswerReader } from '../http/dialect.ts'
import { EventStream } from '../http/event-stream.ts'
import { type EndpointLabel, errorInAnswer, malformedAnswer, streamCut } from '../http/failures.ts'
import { type Fields, isRecord } from '../http/fields.ts'
import { answerTextCharactersMax } from '../http/stream-limits.ts'
import type { DeltaSink, ModelDelta, Usage } from '../transport.ts'
import { extraIn, failureIn, finishOf, nameIn, outputTextIn, responsesUsage, textIn } from './answer.ts'
import { reasoningField, reasoningIn } from './reasoning.ts'
import { StreamedCalls } from './streamed-calls.ts'

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
  readonly #address: EndpointLabel
  readonly #feed = new EventStream((event) => this.#event(event))
  readonly #calls = new StreamedCalls()
  readonly #said = new TextPile()
  /** Text or a refusal was told: the items at the end say nothing new of it. */
  #hasSpoken = false
  #hasThought = false
  #hasEvents = false
  #isOpen = true
  /** Items that are done while nothing was told: an endpoint may send them and no pieces. */
  #unspoken: unknown[] = []

  constructor(sink: DeltaSink, modelByDefault: string, address: EndpointLabel) {
    this.#sink = sink
    this.#modelByDefault = modelByDefault
    this.#address = address
  }

  get answerText(): string {
    return this.#said.toString()
  }

  data(bytes: Buffer): boolean {
    this.#isOpen = true
    this.#feed.data(bytes)
    return this.#isOpen || this.isComplete
  }

  end(): void {
    if (!this.isComplete) this.#feed.end()
    if (this.isComplete) return
    if (!this.#hasEvents && this.#feed.bytesTotal > 0) throw malformedAnswer('a body without events')
    throw streamCut()
  }

  #event({ data, event: name }: EventSourceMessage): void {
    if (this.isComplete || data.trim() === '') return
    this.#hasEvents = true
    if (data.startsWith('[DONE]')) {
      // Without a last event before it: as good an end as the chat convention's.
      if (!this.hasEmitted && this.#unspoken.length === 0) throw streamCut()
      this.#finish({})
      return
    }
    const event = parsed(data)
    this.#told(typeof event['type'] === 'string' ? event['type'] : (name ?? ''), event)
  }

  #told(type: string, event: Fields): void {
    switch (type) {
      case 'response.created':
      case 'response.in_progress':
        this.#about(fieldsOf(event['response']))
        return
      case 'response.output_text.delta':
        this.#text(textIn(event['delta']))
        return
      case 'response.refusal.delta':
        this.#hasSpoken = true
        this.#raw('refusal', textIn(event['delta']))
        return
      case 'response.reasoning_summary_part.added':
        if (this.#hasThought) this.#raw('reasoning_content', '\n\n')
        return
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        this.#hasThought = true
        this.#raw('reasoning_content', textIn(event['delta']))
        return
      case 'response.output_item.added':
        this.#item(fieldsOf(event['item']), event['output_index'], false)
        return
      case 'response.function_call_arguments.delta':
        this.#pieces(this.#calls.argumentsDelta(event))
        return
      case 'response.function_call_arguments.done':
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
        throw errorInAnswer(event['error'] ?? event, this.#address)
      default:
        // Of what else there is (parts begun and ended, searches, what is yet to be invented) nothing has to be told;
        // but some endpoints send an error as they send it in the other style.
        if (event['error']) throw errorInAnswer(event['error'], this.#address)
    }
  }

  #about(response: Fields): void {
    this.model = nameIn(response['model']) ?? this.model
    this.usage = responsesUsage(response['usage'], this.usage) ?? this.usage
    this.extra = { ...this.extra, ...extraIn(response) }
  }

  #item(item: Fields, place: unknown, isDone: boolean): void {
    if (item['type'] === 'function_call')
      this.#pieces(isDone ? this.#calls.itemDone(item, place) : this.#calls.itemAdded(item, place))
    else if (isDone && item['type'] === 'message' && !this.#hasSpoken) this.#unspoken.push(item)
  }

  #ended(type: string, response: Fields): void {
    this.#about(response)
    const status = type.slice('response.'.length)
    const failure = failureIn({ ...response, status }, this.#address)
    if (failure) throw failure
    this.#finish({ ...response, status })
  }

  /** What was never told in pieces is told now, then the finish. */
  #finish(response: Fields): void {
    const output = Array.isArray(response['output']) ? response['output'].filter(isRecord) : []
    if (!this.#hasSpoken) {
      const { text, refusal } = outputTextIn(output.length > 0 ? output : this.#unspoken)
      this.#text(text)
      this.#raw('refusal', refusal)
    }
    this.#pieces(this.#calls.remainingOf(output.filter((item) => item['type'] === 'function_call')))
    const thought = reasoningIn(output)
    if (thought) this.#pass({ kind: 'raw', choice, delta: { [reasoningField]: thought } })
    this.#pass({ kind: 'finish', choice, finishReason: finishOf(response, this.#calls.count > 0) })
    this.isComplete = true
  }

  #text(text: string): void {
    if (text === '') return
    this.#hasSpoken = true
    if (this.#said.length < answerTextCharactersMax) this.#said.add(text)
    this.#pass({ kind: 'text', choice, text })
  }

  #raw(field: string, text: string): void {
    if (text === '') return
    if (this.#said.length < answerTextCharactersMax) this.#said.add(text)
    this.#pass({ kind: 'raw', choice, delta: { [field]: text } })
  }

  #pieces(pieces: Record<string, unknown>[]): void {
    if (pieces.length === 0) return
    if (this.#said.length < answerTextCharactersMax) this.#said.add(generatedText(pieces))
    this.#pass({ kind: 'raw', choice, delta: { tool_calls: pieces } })
  }

  /**
   * The model is named with the first of them, not when the response is created: until something was said, a failure may
   * be tried again.
   */
  #pass(delta: ModelDelta): void {
    if (!this.hasEmitted) {
      this.hasEmitted = true
      const model = this.model ?? this.#modelByDefault
      if (!this.#sink.delta({ kind: 'model', model, extra: { ...this.extra } })) this.#isOpen = false
    }
    if (!this.#sink.delta(delta)) this.#isOpen = false
  }
}

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {}
}

function parsed(data: string): Fields {
  let event: unknown
  try {
    event = JSON.parse(data)
  } catch {
    // Without the parser's words: they quote what it was given, and that may be anything.
    throw malformedAnswer('an event that is no JSON')
  }
  if (!isRecord(event)) throw malformedAnswer('an event that is no object')
  return event
}
