/** Holds an agent's answer to the guard: what gives the system prompt away is not shown, not stored and not said again. */

import { refusalText } from '../../guard/refusal.ts'
import { streamGuard } from '../../guard/stream-guard.ts'
import type { ModelDelta } from '../../models/transport.ts'
import type { AgentReader } from '../agent/run-agent.ts'
import type { Services } from '../services.ts'
import type { AgentOutcome } from './messages.ts'

export interface GuardedAnswer {
  /** What may be shown of the answer as it comes. */
  reader: AgentReader | null
  /** The answer's end: what was held back is shown, and the outcome says what was shown. */
  judge(outcome: AgentOutcome): AgentOutcome
}

export function guardedAnswer({ guard, canary, settings, log }: Services, reader: AgentReader | null): GuardedAnswer {
  if (!guard) return { reader, judge: (outcome) => outcome }
  const shown = streamGuard(canary)
  const refusal = refusalText(settings.get('SERVICE_LOCALE'), settings.get('SERVICE_MODERATION_REFUSAL'))

  /** The answer's end, until it is judged. */
  let ending: ModelDelta | undefined

  /** What is handed to the client's own tools is told to the client. */
  function leaksInCalls(told: Record<string, unknown> | undefined): boolean {
    if (!told?.['tool_calls']) return false
    const heard = streamGuard(canary)
    heard.push(JSON.stringify(told['tool_calls']))
    return heard.isLeaking
  }

  function showRest(): void {
    const rest = shown.end()
    if (rest !== '') reader?.delta({ kind: 'text', choice: 0, text: rest })
  }

  function refused(outcome: AgentOutcome): AgentOutcome {
    log.warn({ model: outcome.model }, 'an answer that gave away the system prompt was withheld')
    reader?.delta({ kind: 'text', choice: 0, text: refusal })
    reader?.delta({ kind: 'finish', choice: 0, finishReason: 'content_filter' })
    const message = { role: 'assistant', content: refusal }
    return {
      ...outcome,
      status: 'completed',
      finishReason: 'content_filter',
      choices: [{ index: 0, message, finish_reason: 'content_filter' }],
      extra: {},
    }
  }

  return {
    reader: reader && {
      delta(delta) {
        if (delta.kind === 'finish') {
          ending = delta
          return true
        }
        if (delta.kind === 'raw') {
          showRest()
          if (leaksInCalls(delta.delta)) return true
        }
        if (delta.kind !== 'text') return shown.isLeaking || reader.delta(delta)
        const text = shown.push(delta.text)
        return text === '' ? true : reader.delta({ ...delta, text })
      },
      onRoom: (resume) => reader.onRoom(resume),
      progress: (words) => reader.progress(words),
    },
    judge(outcome) {
      if (outcome.status !== 'completed') return outcome
      const said = outcome.choices[0]?.message['content'] ?? ''
      if (typeof said !== 'string') return outcome
      // Read once more as a whole: what was not streamed was not heard yet.
      const whole = streamGuard(canary)
      const text = whole.push(said) + whole.end()
      if (whole.isLeaking || shown.isLeaking || leaksInCalls(outcome.choices[0]?.message)) return refused(outcome)
      showRest()
      if (ending) reader?.delta(ending)
      if (text === said) return outcome
      const [choice, ...others] = outcome.choices
      if (!choice) return outcome
      return { ...outcome, choices: [{ ...choice, message: { ...choice.message, content: text } }, ...others] }
    },
  }
}
