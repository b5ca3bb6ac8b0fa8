/** Questions to a model on the way to the answer: the format that the client wants is for the answer alone. */
import type { AgentRun } from '../agent-run.ts'

/** A planner under the client's JSON schema could not plan, and a judge within twenty tokens could not judge. */
const answerFormat = new Set([
  'audio',
  'logit_bias',
  'logprobs',
  'max_completion_tokens',
  'max_tokens',
  'modalities',
  'parallel_tool_calls',
  'prediction',
  'response_format',
  'stop',
  'top_logprobs',
  'verbosity',
])

/** The same turn, its model asked without the client's wishes for the answer. */
export function sideQuestion(run: AgentRun): AgentRun {
  return { ...run, parameters: withoutAnswerFormat(run.parameters) }
}

export function withoutAnswerFormat(parameters: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(parameters).filter(
      // That no tool be called is meant for the whole turn; that one be called, for the answer.
      ([name, value]) => !answerFormat.has(name) && (name !== 'tool_choice' || value === 'none'),
    ),
  )
}
