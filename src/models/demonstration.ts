/** Answers until a real model is configured: says what it is and what to do, so that the first command shows a stream. */
import type { Clock } from '../runtime/clock.ts'
import { cancelled } from './errors.ts'
import { estimateUsage } from './tokens.ts'
import type { ChatMessage, DeltaSink, ModelCall, ModelRequest, ModelTransport, ModelEnd } from './transport.ts'

export const demonstrationModelName = 'demo'

/** Between two words: slow enough to be seen as a stream. */
const wordMs = 15

export function demonstrationTransport(clock: Clock): ModelTransport {
  return {
    name: demonstrationModelName,
    stream: (request, sink) => demonstrate(clock, request, sink),
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
}

function demonstrate(clock: Clock, request: ModelRequest, sink: DeltaSink): ModelCall {
  const text = answerTo(request.messages)
  const words = text.split(/(?<=\s)/)
  const { promise, resolve, reject } = Promise.withResolvers<ModelEnd>()
  let next = 0
  let timer = clock.after(0, say)
  let isSlow = false

  function say(): void {
    if (next === 0) sink.delta({ kind: 'model', model: demonstrationModelName, extra: {} })
    const word = words[next++]
    if (word === undefined) {
      sink.delta({ kind: 'finish', choice: 0, finishReason: 'stop' })
      request.signal.removeEventListener('abort', stop)
      endOf(request, text).then(resolve, reject)
      return
    }
    isSlow = !sink.delta({ kind: 'text', choice: 0, text: word })
    if (!isSlow) timer = clock.after(wordMs, say)
  }

  function stop(): void {
    timer.cancel()
    reject(cancelled())
  }

  if (request.signal.aborted) stop()
  else request.signal.addEventListener('abort', stop, { once: true })
  return {
    done: promise,
    resume() {
      if (!isSlow || request.signal.aborted) return
      isSlow = false
      timer = clock.after(0, say)
    },
  }
}

async function endOf(request: ModelRequest, text: string): Promise<ModelEnd> {
  return {
    model: demonstrationModelName,
    usage: await estimateUsage(request.messages, text),
    isUsageEstimated: true,
    extra: {},
  }
}

function answerTo(messages: readonly ChatMessage[]): string {
  const last = messages.findLast((message) => message.role === 'user')?.content
  const asked = typeof last === 'string' ? last.slice(0, 200) : 'something that is not plain text'
  return (
    `You said: “${asked}”. I am the built-in demonstration model: I repeat what I hear and know nothing else. ` +
    'To put a real model here, name an endpoint that speaks the chat-completions convention: ' +
    '`service settings set SERVICE_LLM_GATEWAY_URL http://127.0.0.1:11434/v1` and ' +
    '`service settings set SERVICE_LLM_MODEL` with the name of a model it serves. The next request goes there.'
  )
}
