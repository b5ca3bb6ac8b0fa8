/** Streams one answer, and reports it at most thirty times a second. */
import { ApiFailure, open, SignInDeclined } from '../../api/call.ts'
import type { Body } from '../../api/types.ts'
import type { AnswerItem } from './conversation.ts'
import { type ChatEvent, ConnectionLost, chatEvents } from './sse.ts'

const reportEveryMs = 33

/**
 * @param report gets the current answer, and once the final one
 * @returns the final one; never rejects: a failure is part of the answer
 */
export async function streamAnswer(
  answer: AnswerItem,
  body: Body<'POST /v1/chat/completions'>,
  signal: AbortSignal,
  report: (answer: AnswerItem) => void,
): Promise<AnswerItem> {
  const startedMs = performance.now()
  let now = answer
  let timer: ReturnType<typeof setTimeout> | undefined
  const change = (changed: Partial<AnswerItem>) => {
    now = { ...now, ...changed }
    timer ??= setTimeout(() => {
      timer = undefined
      report(now)
    }, reportEveryMs)
  }
  const end = (ended: Partial<AnswerItem>) => {
    clearTimeout(timer)
    now = { ...now, ...ended, doing: '', durationMs: performance.now() - startedMs }
    report(now)
    return now
  }
  try {
    const response = await open('POST /v1/chat/completions', { body, signal, requestId: answer.requestId })
    if (!response.body) throw new Error('the answer has no body')
    let isWhole = false
    for await (const event of chatEvents(response.body)) {
      if (event.is === 'done') isWhole = true
      else change(changeOf(now, event))
      if (now.firstTokenMs === null && (event.is === 'text' || event.is === 'reasoning'))
        change({ firstTokenMs: performance.now() - startedMs })
    }
    return end({ state: now.failure ? 'failed' : isWhole ? 'done' : 'cut' })
  } catch (error) {
    return end(signal.aborted || error instanceof SignInDeclined ? { state: 'cancelled' } : failedBy(error, now))
  }
}

function changeOf(now: AnswerItem, event: Exclude<ChatEvent, { is: 'done' }>): Partial<AnswerItem> {
  switch (event.is) {
    case 'begun':
      return { turnId: event.turnId, answeredBy: event.model }
    case 'text':
      return { text: now.text + event.text }
    case 'reasoning':
      return { reasoning: now.reasoning + event.text }
    case 'doing':
      return { doing: event.text }
    case 'finish':
      return { finishReason: event.reason }
    case 'usage':
      return { tokens: { prompt: event.promptTokens, completion: event.completionTokens } }
    case 'failed':
      return { failure: { code: event.code, message: event.message, requestId: now.requestId, status: 200 } }
    default:
      return event satisfies never
  }
}

function failedBy(error: unknown, now: AnswerItem): Partial<AnswerItem> {
  if (error instanceof ApiFailure) {
    const { code, message, requestId, status } = error
    return { state: 'failed', failure: { code, message, requestId: requestId || now.requestId, status } }
  }
  if (error instanceof ConnectionLost) return { state: 'cut' }
  const message = error instanceof Error ? error.message : String(error)
  return { state: 'failed', failure: { code: 'unreadable_answer', message, requestId: now.requestId, status: 200 } }
}
