/** Reads an endpoint's event stream into deltas: incremental, tolerant of what does no harm, strict about its size and end. */
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import type { ModelError } from './errors.ts'
import { garbage, statusError, streamCut } from './failures.ts'
import type { DeltaSink, Usage } from './transport.ts'

/** Of one event, and of the characters that wait for the end of one. */
const eventCharactersMax = 1_048_576

/** Text kept to estimate usage from. */
const saidCharactersMax = 4_194_304

interface Chunk {
  model?: unknown
  choices?: unknown
  usage?: unknown
  error?: unknown
  system_fingerprint?: unknown
  service_tier?: unknown
}

interface ChunkChoice {
  index?: unknown
  delta?: unknown
  finish_reason?: unknown
}

export class ChunkReader {
  usage: Usage | undefined
  model: string | undefined
  readonly extra: Record<string, unknown> = {}
  /** What the model said, for an estimate of its tokens. */
  said = ''
  hasPassedOn = false
  readonly #sink: DeltaSink
  readonly #decoder = new TextDecoder()
  readonly #parser = createParser({ onEvent: (event) => this.#event(event), onError() {} })
  #sinceEvent = 0
  #isDone = false
  #hasFinished = false
  #isOpen = true

  constructor(sink: DeltaSink) {
    this.#sink = sink
  }

  /** @returns false when the reader is slow. @throws ModelError */
  bytes(bytes: Buffer): boolean {
    this.#isOpen = true
    this.#sinceEvent += bytes.length
    this.#parser.feed(this.#decoder.decode(bytes, { stream: true }))
    if (this.#sinceEvent > eventCharactersMax) throw garbage(`an event of more than ${eventCharactersMax} characters`)
    return this.#isOpen
  }

  /** The body is over. @throws ModelError when the answer is not */
  end(): void {
    this.#parser.feed('\n\n')
    // Some endpoints leave [DONE] out; a finish_reason says as much.
    if (!this.#isDone && !this.#hasFinished) throw streamCut()
  }

  #event(event: EventSourceMessage): void {
    this.#sinceEvent = 0
    if (this.#isDone) return
    if (event.data === '[DONE]') {
      this.#isDone = true
      return
    }
    if (event.data.length > eventCharactersMax) throw garbage(`an event of more than ${eventCharactersMax} characters`)
    let chunk: Chunk
    try {
      chunk = JSON.parse(event.data) as Chunk
    } catch (cause) {
      throw garbage('an event that is no JSON', cause)
    }
    if (typeof chunk !== 'object' || chunk === null) throw garbage('an event that is no object')
    if (chunk.error) throw midStreamError(chunk.error)
    this.#facts(chunk)
    if (!Array.isArray(chunk.choices)) return
    for (const choice of chunk.choices as unknown[])
      if (typeof choice === 'object' && choice !== null) this.#choice(choice)
  }

  #facts(chunk: Chunk): void {
    if (this.model === undefined && typeof chunk.model === 'string' && chunk.model !== '') {
      this.model = chunk.model
      this.#pass({ kind: 'model', model: chunk.model, extra: this.extra })
    }
    if (typeof chunk.system_fingerprint === 'string') this.extra['system_fingerprint'] = chunk.system_fingerprint
    if (typeof chunk.service_tier === 'string') this.extra['service_tier'] = chunk.service_tier
    const usage = readUsage(chunk.usage)
    if (usage) this.usage = usage
  }

  #choice(choice: ChunkChoice): void {
    const index = typeof choice.index === 'number' ? choice.index : 0
    const { delta } = choice
    if (typeof delta === 'object' && delta !== null) {
      this.hasPassedOn = true
      const { role: _role, content, ...rest } = delta as Record<string, unknown>
      this.#rest(index, rest)
      if (typeof content === 'string' && content !== '') {
        if (this.said.length < saidCharactersMax) this.said += content
        this.#pass({ kind: 'text', choice: index, text: content })
      } else if (Array.isArray(content)) {
        this.#pass({ kind: 'raw', choice: index, delta: { content } })
      }
    }
    if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '') {
      this.#hasFinished = true
      this.hasPassedOn = true
      this.#pass({ kind: 'finish', choice: index, finishReason: choice.finish_reason })
    }
  }

  #rest(index: number, rest: Record<string, unknown>): void {
    let hasAny = false
    for (const name in rest) {
      const value = rest[name]
      if (value === null || value === undefined) delete rest[name]
      else hasAny = true
    }
    if (!hasAny) return
    if (this.said.length < saidCharactersMax) this.said += JSON.stringify(rest)
    this.#pass({ kind: 'raw', choice: index, delta: rest })
  }

  #pass(delta: Parameters<DeltaSink['delta']>[0]): void {
    if (!this.#sink.delta(delta)) this.#isOpen = false
  }
}

export function readUsage(value: unknown): Usage | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = value as Record<string, unknown>
  if (typeof prompt !== 'number' && typeof completion !== 'number') return undefined
  const promptTokens = typeof prompt === 'number' ? prompt : 0
  const completionTokens = typeof completion === 'number' ? completion : 0
  return {
    ...value,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: typeof total === 'number' ? total : promptTokens + completionTokens,
  }
}

/** An endpoint that has sent 200 can only say in the stream what went wrong. */
function midStreamError(error: unknown): ModelError {
  const { message, code } =
    typeof error === 'object' ? (error as { message?: unknown; code?: unknown }) : { message: error, code: undefined }
  const status = typeof code === 'number' && code >= 400 && code <= 599 ? code : 500
  return statusError(status, typeof message === 'string' ? message.slice(0, 1_000) : '', undefined)
}
