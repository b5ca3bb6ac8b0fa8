/** Reads an endpoint's event stream into deltas as the bytes come: the hot path. Lenient about form, strict about size and end. */
import type { EventSourceMessage } from 'eventsource-parser'
import { TextPile } from '../../runtime/text-pile.ts'
import type { StreamedAnswerReader } from '../http/dialect.ts'
import { EventStream } from '../http/event-stream.ts'
import { answerTooLarge, type EndpointLabel, errorInAnswer, malformedAnswer, streamCut } from '../http/failures.ts'
import { nameOrUndefined } from '../http/fields.ts'
import { generatedText } from '../http/generated-text.ts'
import { parseObject } from '../http/parse-object.ts'
import { answerTextCharactersMax } from '../http/stream-limits.ts'
import { usageIn } from '../http/usage-counts.ts'
import type { ChoiceFields, DeltaSink, ModelDelta, Usage } from '../transport.ts'
import { type ChunkChoice, choicesIn, collectExtra, isSame, plainText, usageOfChoices } from './chunk.ts'
import { TextTemplate } from './text-template.ts'
import { ToolCallPieces } from './tool-call-pieces.ts'

const newLine = 10

/** Of one answer: no request asks for as many. */
const choicesMax = 1_024

export class StreamReader implements StreamedAnswerReader {
  model: string | undefined
  usage: Usage | undefined
  readonly extra: Record<string, unknown> = {}
  hasEmitted = false
  isComplete = false
  readonly #sink: DeltaSink
  readonly #modelByDefault: string
  readonly #endpoint: EndpointLabel
  readonly #events = new EventStream((event) => this.#event(event))
  readonly #template = new TextTemplate()
  readonly #answerText = new TextPile()
  /** By choice: whether its finish_reason has come. */
  readonly #finished = new Map<number, boolean>()
  /** By choice: the model's own fields that it had last. */
  readonly #fields = new Map<number, ChoiceFields>()
  /** By choice: the tool calls whose pieces have come. */
  readonly #calls = new Map<number, ToolCallPieces>()
  /** What was fed so far ended with the empty line of an event: the next character begins one. */
  #isBetweenEvents = true
  #hasEvents = false
  #hasRoom = true

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
    this.#feed(this.#events.text(bytes))
    return this.#hasRoom || this.isComplete
  }

  end(): void {
    if (!this.isComplete) this.#events.end()
    if (this.isComplete) return
    if (!this.#hasEvents && this.#events.bytesTotal > 0) throw malformedAnswer('a body without events')
    // Some endpoints leave [DONE] out; a finish_reason for each choice means the same.
    if (this.#finished.size === 0 || [...this.#finished.values()].includes(false)) throw streamCut()
    this.isComplete = true
  }

  /** Whole events that are like the one before are read without the parser; all others, and parts of events, go through it. */
  #feed(text: string): void {
    let at = 0
    if (!this.#isBetweenEvents) {
      const end = text.indexOf('\n\n')
      at = end < 0 ? text.length : end + 2
      this.#events.feed(at === text.length ? text : text.slice(0, at))
      this.#isBetweenEvents = end >= 0
    }
    at = this.#readRun(text, at)
    while (text.startsWith('data: ', at)) {
      const end = text.indexOf('\n', at)
      if (end < 0 || text.charCodeAt(end + 1) !== newLine || !this.#readPlain(text.slice(at + 6, end))) break
      at = end + 2
    }
    if (at === text.length) return
    this.#events.feed(at === 0 ? text : text.slice(at))
    this.#isBetweenEvents = text.endsWith('\n\n')
  }

  /** Events like the one before, as many as come in a row, are one delta. @returns where the rest begins */
  #readRun(text: string, at: number): number {
    const run = this.isComplete ? undefined : this.#template.readRun(text, at)
    if (!run) return at
    const { text: content, pieces, end } = run
    const delta = { kind: 'text', choice: this.#template.choice, text: content } as const
    if (content !== '') this.#text(pieces.length > 1 ? { ...delta, pieces } : delta)
    return end
  }

  /** True: it was text in the form of the text before it, and was passed on. */
  #readPlain(data: string): boolean {
    if (this.isComplete) return true
    const text = this.#template.read(data)
    if (text === undefined) return false
    if (text !== '') this.#text({ kind: 'text', choice: this.#template.choice, text })
    return true
  }

  #event({ data, event }: EventSourceMessage): void {
    if (this.#readPlain(data)) return
    this.#hasEvents = true
    if (data.trim() === '') return
    if (data.startsWith('[DONE]')) this.isComplete = true
    else this.#chunk(data, event)
  }

  #chunk(data: string, event: string | undefined): void {
    const chunk = parseObject(data, 'an event')
    if (event === 'error') throw errorInAnswer(chunk['error'] ?? chunk, this.#endpoint)
    if (chunk['error']) throw errorInAnswer(chunk['error'], this.#endpoint)
    const changed = collectExtra(chunk, this.extra)
    this.usage = usageIn(chunk['usage'], this.usage) ?? usageOfChoices(chunk, this.usage) ?? this.usage
    this.#begin(chunk['model'], changed)
    for (const choice of choicesIn(chunk)) this.#choice(choice)
    this.#template.learn(data, chunk, plainText)
  }

  /** The first chunk, whatever it holds: the answer has begun. Routers name the model, and others their fields, later. */
  #begin(model: unknown, changed: Record<string, unknown> | undefined): void {
    const isNamed = this.model === undefined
    if (isNamed) this.model = nameOrUndefined(model)
    if (this.hasEmitted && changed === undefined && !(isNamed && this.model !== undefined)) return
    this.#emit({ kind: 'model', model: this.model ?? this.#modelByDefault, extra: changed ?? {} })
  }

  #choice({ index, delta, finishReason, fields }: ChunkChoice): void {
    if (!this.#finished.has(index)) {
      if (this.#finished.size === choicesMax) throw answerTooLarge(`more than ${choicesMax} choices`)
      this.#finished.set(index, false)
    }
    if (delta?.kind === 'text') this.#text(delta)
    else if (delta?.kind === 'raw') {
      this.#generated(generatedText(delta.delta))
      const pieces = delta.delta['tool_calls']
      this.#emit(Array.isArray(pieces) ? this.#withPlacedCalls(delta, pieces) : delta)
    }
    if (fields && !isSame(this.#fields.get(index), fields)) {
      this.#fields.set(index, fields)
      this.#emit({ kind: 'raw', choice: index, delta: {}, fields })
    }
    if (finishReason === undefined || this.#finished.get(index)) return
    this.#finished.set(index, true)
    this.#emit({ kind: 'finish', choice: index, finishReason })
  }

  /** Each piece of a tool call under the index of its call, whatever index the endpoint gave it. */
  #withPlacedCalls(delta: ModelDelta & { kind: 'raw' }, pieces: unknown[]): ModelDelta {
    let calls = this.#calls.get(delta.choice)
    if (!calls) {
      calls = new ToolCallPieces()
      this.#calls.set(delta.choice, calls)
    }
    const placed = calls.place(pieces)
    return placed === pieces ? delta : { ...delta, delta: { ...delta.delta, tool_calls: placed } }
  }

  #text(delta: ModelDelta & { kind: 'text' }): void {
    this.#generated(delta.text)
    this.#emit(delta)
  }

  #generated(words: string): void {
    if (this.#answerText.length > answerTextCharactersMax)
      throw answerTooLarge(`an answer of more than ${answerTextCharactersMax} characters`)
    this.#answerText.add(words)
  }

  #emit(delta: ModelDelta): void {
    this.hasEmitted = true
    if (!this.#sink.delta(delta)) this.#hasRoom = false
  }
}
