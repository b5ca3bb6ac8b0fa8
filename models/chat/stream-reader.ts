/** Reads an endpoint's event stream into deltas as the bytes come: the hot path. Lenient about form, strict about size and end. */
import { StringDecoder } from 'node:string_decoder'
import { createParser, type EventSourceMessage, type EventSourceParser } from 'eventsource-parser'
import { TextPile } from '../../runtime/text-pile.ts'
import type { StreamedAnswerReader } from '../http/dialect.ts'
import { answerTooLarge, type EndpointLabel, errorInAnswer, malformedAnswer, streamCut } from '../http/failures.ts'
import { isRecord } from '../http/fields.ts'
import { answerTextCharactersMax, eventCharactersMax, streamBytesMax } from '../http/stream-limits.ts'
import type { DeltaSink, ModelDelta, Usage } from '../transport.ts'
import {
  type ChunkChoice,
  choicesIn,
  collectExtra,
  generatedText,
  plainText,
  usageIn,
  usageOfChoices,
} from './chunk.ts'
import { TextTemplate } from './text-template.ts'
import { ToolCallPieces } from './tool-call-pieces.ts'

const newLine = 10

/** Of one answer: no request asks for as many. */
const choicesMax = 1_024

export class StreamReader implements StreamedAnswerReader {
  /** As far as the endpoint has named it. */
  model: string | undefined
  usage: Usage | undefined
  readonly extra: Record<string, unknown> = {}
  /** A delta went out: from here on no other attempt may take over. */
  hasEmitted = false
  isComplete = false
  readonly #sink: DeltaSink
  readonly #modelByDefault: string
  readonly #address: EndpointLabel
  readonly #decoder = new StringDecoder('utf8')
  readonly #parser: EventSourceParser
  readonly #template = new TextTemplate()
  readonly #said = new TextPile()
  /** By choice: whether its finish_reason has come. */
  readonly #finished = new Map<number, boolean>()
  /** By choice: the tool calls whose pieces have come. */
  readonly #calls = new Map<number, ToolCallPieces>()
  /** What was fed so far ended with the empty line of an event: the next byte begins one. */
  #isBetweenEvents = true
  #bytesTotal = 0
  #hasEvents = false
  #isOpen = true

  constructor(sink: DeltaSink, modelByDefault: string, address: EndpointLabel) {
    this.#sink = sink
    this.#modelByDefault = modelByDefault
    this.#address = address
    this.#parser = createParser({
      onEvent: (event) => this.#event(event),
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded')
          throw answerTooLarge(`an event of more than ${eventCharactersMax} characters`)
      },
      maxBufferSize: eventCharactersMax,
    })
  }

  /** What the model said, for an estimate of its tokens. */
  get answerText(): string {
    return this.#said.toString()
  }

  data(bytes: Buffer): boolean {
    this.#isOpen = true
    this.#bytesTotal += bytes.length
    if (this.#bytesTotal > streamBytesMax) throw answerTooLarge(`a stream of more than ${streamBytesMax} bytes`)
    const text = this.#decoder.write(bytes)
    this.#feed(this.#hasEvents ? text : text.replace(/^\ufeff/, ''))
    return this.#isOpen || this.isComplete
  }

  end(): void {
    // The last event may lack the empty line that ends it.
    if (!this.isComplete) this.#parser.feed(`${this.#decoder.end()}\n\n`)
    if (this.isComplete) return
    if (!this.#hasEvents && this.#bytesTotal > 0) throw malformedAnswer('a body without events')
    // Some endpoints leave [DONE] out; a finish_reason for each choice says as much.
    if (this.#finished.size === 0 || [...this.#finished.values()].includes(false)) throw streamCut()
    this.isComplete = true
  }

  /** Whole events that are like the one before go round the parser; what is not, or not whole, goes through it. */
  #feed(text: string): void {
    let at = 0
    if (!this.#isBetweenEvents) {
      const end = text.indexOf('\n\n')
      at = end < 0 ? text.length : end + 2
      this.#parser.feed(at === text.length ? text : text.slice(0, at))
      this.#isBetweenEvents = end >= 0
    }
    while (text.startsWith('data: ', at)) {
      const end = text.indexOf('\n', at)
      if (end < 0 || text.charCodeAt(end + 1) !== newLine || !this.#plain(text.slice(at + 6, end))) break
      at = end + 2
    }
    if (at === text.length) return
    this.#parser.feed(at === 0 ? text : text.slice(at))
    this.#isBetweenEvents = text.endsWith('\n\n')
  }

  /** True: it was text in the form of the text before it, and is told. */
  #plain(data: string): boolean {
    if (this.isComplete) return true
    const text = this.#template.read(data)
    if (text === undefined) return false
    if (text !== '') this.#text({ kind: 'text', choice: this.#template.choice, text })
    return true
  }

  #event({ data, event }: EventSourceMessage): void {
    if (this.#plain(data)) return
    this.#hasEvents = true
    if (data.trim() === '') return
    if (data.startsWith('[DONE]')) this.isComplete = true
    else this.#chunk(data, event)
  }

  #chunk(data: string, event: string | undefined): void {
    const chunk = parse(data)
    if (event === 'error') throw errorInAnswer(chunk['error'] ?? chunk, this.#address)
    if (chunk['error']) throw errorInAnswer(chunk['error'], this.#address)
    collectExtra(chunk, this.extra)
    this.usage = usageIn(chunk['usage'], this.usage) ?? usageOfChoices(chunk, this.usage) ?? this.usage
    this.#begin(chunk['model'])
    for (const choice of choicesIn(chunk)) this.#choice(choice)
    this.#template.learn(data, chunk, plainText)
  }

  /** The first chunk, whatever it holds: the answer has begun. */
  #begin(model: unknown): void {
    if (this.hasEmitted) return
    this.model = typeof model === 'string' && model !== '' ? model : undefined
    this.#pass({ kind: 'model', model: this.model ?? this.#modelByDefault, extra: { ...this.extra } })
  }

  #choice({ index, delta, finishReason }: ChunkChoice): void {
    if (!this.#finished.has(index)) {
      if (this.#finished.size === choicesMax) throw answerTooLarge(`more than ${choicesMax} choices`)
      this.#finished.set(index, false)
    }
    if (delta?.kind === 'text') this.#text(delta)
    else if (delta?.kind === 'raw') {
      if (this.#said.length < answerTextCharactersMax) this.#said.add(generatedText(delta.delta))
      this.#pass(Array.isArray(delta.delta['tool_calls']) ? this.#placed(delta) : delta)
    }
    if (finishReason === undefined || this.#finished.get(index)) return
    this.#finished.set(index, true)
    this.#pass({ kind: 'finish', choice: index, finishReason })
  }

  /** Each piece of a tool call under the index of its call, whatever index the endpoint gave it. */
  #placed(delta: ModelDelta & { kind: 'raw' }): ModelDelta {
    let calls = this.#calls.get(delta.choice)
    if (!calls) {
      calls = new ToolCallPieces()
      this.#calls.set(delta.choice, calls)
    }
    const given = delta.delta['tool_calls'] as unknown[]
    const placed = calls.place(given)
    return placed === given ? delta : { ...delta, delta: { ...delta.delta, tool_calls: placed } }
  }

  #text(delta: ModelDelta & { kind: 'text' }): void {
    if (this.#said.length < answerTextCharactersMax) this.#said.add(delta.text)
    this.#pass(delta)
  }

  #pass(delta: ModelDelta): void {
    this.hasEmitted = true
    if (!this.#sink.delta(delta)) this.#isOpen = false
  }
}

function parse(data: string): Record<string, unknown> {
  let chunk: unknown
  try {
    chunk = JSON.parse(data)
  } catch {
    // Without the parser's words: they quote what it was given, and that may be anything.
    throw malformedAnswer('an event that is no JSON')
  }
  if (!isRecord(chunk)) throw malformedAnswer('an event that is no object')
  return chunk
}
