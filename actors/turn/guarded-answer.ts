/** Has an agent's answer judged by the guard: text that gives the system prompt away is not shown, stored or told to a model again. */

import { refusalText } from '../../guard/refusal.ts'
import type { ModelDelta } from '../../models/transport.ts'
import type { AgentReader } from '../agent/run-agent.ts'
import type { Services } from '../services.ts'
import type { AgentOutcome } from './messages.ts'

type CompletedOutcome = AgentOutcome & { status: 'completed' }

export interface GuardedAnswer {
  /** Sends on what may be shown of the answer as it comes. */
  reader: AgentReader | null
  /** The answer's end: text that was held back is shown, and the outcome holds what was shown. */
  judge(outcome: AgentOutcome): AgentOutcome
}

export function guardedAnswer(services: Services, reader: AgentReader | null): GuardedAnswer {
  const { guard, streamGuard, canary, settings, log } = services
  if (!guard) return { reader, judge: (outcome) => outcome }
  const streamed = streamGuard(canary)

  /** The last delta, until the whole answer is judged. */
  let finish: ModelDelta | undefined

  /** The arguments of calls to the client's own tools are sent to the client. */
  function leaksInCalls(message: Record<string, unknown> | undefined): boolean {
    if (!message?.['tool_calls']) return false
    const calls = streamGuard(canary)
    calls.push(JSON.stringify(message['tool_calls']))
    return calls.isLeaking
  }

  function showRest(): void {
    const rest = streamed.end()
    if (rest !== '') reader?.delta({ kind: 'text', choice: 0, text: rest })
  }

  function withheld(outcome: CompletedOutcome): CompletedOutcome {
    const refusal = refusalText(settings.get('SERVICE_LOCALE'), settings.get('SERVICE_MODERATION_REFUSAL'))
    log.warn({ model: outcome.model }, 'an answer that gave away the system prompt was withheld')
    reader?.delta({ kind: 'text', choice: 0, text: refusal })
    reader?.delta({ kind: 'finish', choice: 0, finishReason: 'content_filter' })
    const message = { role: 'assistant', content: refusal }
    const choices = [{ index: 0, message, finish_reason: 'content_filter' }]
    return { ...outcome, finishReason: 'content_filter', choices, extra: {} }
  }

  function show(delta: ModelDelta): boolean {
    if (!reader) return true
    if (delta.kind === 'finish') {
      finish = delta
      return true
    }
    if (delta.kind === 'raw') {
      showRest()
      if (leaksInCalls(delta.delta)) return true
    }
    if (delta.kind !== 'text') return streamed.isLeaking || reader.delta(delta)
    const text = streamed.push(delta.text)
    return text === '' || reader.delta({ kind: 'text', choice: delta.choice, text })
  }

  return {
    reader: reader && {
      delta: show,
      onRoom: (resume) => reader.onRoom(resume),
      progress: (words) => reader.progress(words),
    },
    judge(outcome) {
      if (outcome.status !== 'completed') return outcome
      const [choice, ...others] = outcome.choices
      const content = choice?.message['content'] ?? ''
      if (!choice || typeof content !== 'string') return outcome
      // As a whole once more: text that was not streamed has not been judged yet.
      const whole = streamGuard(canary)
      const text = whole.push(content) + whole.end()
      if (whole.isLeaking || streamed.isLeaking || leaksInCalls(choice.message)) return withheld(outcome)
      showRest()
      if (finish) reader?.delta(finish)
      if (text === content) return outcome
      return { ...outcome, choices: [{ ...choice, message: { ...choice.message, content: text } }, ...others] }
    },
  }
}
