/** Answers until a model is configured: says what it is and what to do, so that the first request already shows a stream. */

import { commandName } from '../runtime/command-name.ts'
import type { Clock, Timer } from '../runtime/time/clock.ts'
import { cancelled } from './errors.ts'
import { defineProvider } from './provider.ts'
import type { ChatMessage, DeltaSink, ModelCall, ModelEnd, ModelRequest, ModelTransport } from './transport.ts'
import { estimateUsage, type TokenCounter } from './usage.ts'

const modelName = 'demo'

/** Between two words: slow enough to be seen as a stream. */
const wordMs = 15

/** As much of the question as it repeats. */
const repeatedCharacters = 200

export const demonstration = defineProvider({
  kind: 'demonstration',
  model: modelName,
  choosingKeys: [],
  isChosen: () => true,
  open: ({ clock, tokens }) => demonstrationTransport(clock, tokens),
})

export function demonstrationTransport(clock: Clock, tokens: TokenCounter): ModelTransport {
  return {
    name: modelName,
    capabilities: { tools: false, reasoningEffort: false, severalChoices: false },
    supportsTools: () => false,
    stream(request, sink) {
      const words = new WordStream(answerTo(request.messages), request, sink, clock)
      return { done: words.done.then(() => endOf(request, words.text)), resume: words.resume } satisfies ModelCall
    },
    async complete(request) {
      if (request.signal.aborted) throw cancelled()
      const text = answerTo(request.messages)
      return {
        ...(await endOf(request, text)),
        choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
      }
    },
    async close() {},
  }

  async function endOf(request: ModelRequest, text: string): Promise<ModelEnd> {
    const usage = await estimateUsage(tokens, request, text)
    return { model: modelName, usage, isUsageEstimated: true, extra: {} }
  }
}

/** One answer, streamed word by word. */
class WordStream {
  readonly done: Promise<void>
  readonly text: string
  readonly #words: string[]
  readonly #request: ModelRequest
  readonly #sink: DeltaSink
  readonly #clock: Clock
  readonly #settle: PromiseWithResolvers<void>
  #next = 0
  #isSlow = false
  #timer: Timer | undefined

  constructor(text: string, request: ModelRequest, sink: DeltaSink, clock: Clock) {
    this.text = text
    this.#words = text.split(/(?<=\s)/)
    this.#request = request
    this.#sink = sink
    this.#clock = clock
    this.#settle = Promise.withResolvers()
    this.done = this.#settle.promise
    request.signal.addEventListener('abort', this.#stop, { once: true })
    // Not at once: the caller must have its call first.
    if (!request.signal.aborted) this.#timer = clock.after(0, this.#begin)
    else this.#stop()
  }

  readonly resume = (): void => {
    if (!this.#isSlow) return
    this.#isSlow = false
    this.#timer = this.#clock.after(0, this.#sendWord)
  }

  readonly #begin = (): void => {
    this.#isSlow = !this.#sink.delta({ kind: 'model', model: modelName, extra: {} })
    if (!this.#isSlow) this.#sendWord()
  }

  readonly #sendWord = (): void => {
    const word = this.#words[this.#next++]
    if (word === undefined) {
      this.#finish()
      return
    }
    this.#isSlow = !this.#sink.delta({ kind: 'text', choice: 0, text: word })
    if (!this.#isSlow) this.#timer = this.#clock.after(wordMs, this.#sendWord)
  }

  #finish(): void {
    this.#request.signal.removeEventListener('abort', this.#stop)
    this.#sink.delta({ kind: 'finish', choice: 0, finishReason: 'stop' })
    this.#settle.resolve()
  }

  readonly #stop = (): void => {
    this.#isSlow = false
    this.#timer?.cancel()
    this.#settle.reject(cancelled())
  }
}

const command = commandName()

function answerTo(messages: readonly ChatMessage[]): string {
  const last = messages.findLast((message) => message.role === 'user')?.content
  return (
    `${repetition(last)} I am the built-in demonstration model: I repeat what I hear and know nothing else. ` +
    'To put a real model here, name an endpoint that speaks the chat-completions convention: ' +
    `\`${command} settings set SERVICE_LLM_GATEWAY_URL http://127.0.0.1:11434/v1\` and ` +
    `\`${command} settings set SERVICE_LLM_MODEL\` with the name of a model it serves. The next request goes there.`
  )
}

function repetition(content: ChatMessage['content']): string {
  const text = typeof content === 'string' ? content : content?.map((part) => part['text']).find(isText)
  if (!isText(text)) return 'You said nothing that I can read.'
  // By characters, not units: a pair must not be cut in two.
  const characters = Array.from(text.trim().slice(0, 2 * repeatedCharacters))
  const repeated = characters.slice(0, repeatedCharacters).join('')
  return `You said: “${repeated}${repeated.length < text.trim().length ? '…' : ''}”.`
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}
