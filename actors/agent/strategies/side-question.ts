/** What is asked of a model on the way to the answer: the form that the client wants is the answer's alone. */
import type { AgentRun } from '../agent-run.ts'

/** A planner under the client's JSON schema could not plan, and a judge within twenty tokens could not judge. */
const formOfTheAnswer = new Set([
  ...['response_format', 'max_tokens', 'max_completion_tokens', 'stop', 'prediction', 'verbosity'],
  ...['logit_bias', 'logprobs', 'top_logprobs', 'modalities', 'audio', 'parallel_tool_calls'],
])

/** The same turn, its model asked without the client's wishes for the answer. */
export function sideQuestion(run: AgentRun): AgentRun {
  return { ...run, parameters: withoutAnswerFormat(run.parameters) }
}

export function withoutAnswerFormat(parameters: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(parameters).filter(
      // That no tool be called is meant for the whole turn; that one be called, for the answer.
      ([name, value]) => !formOfTheAnswer.has(name) && (name !== 'tool_choice' || value === 'none'),
    ),
  )
}
