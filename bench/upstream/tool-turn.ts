/** What the scripted endpoint says in an agent's turn: it asks for a tool so many times, one call a step, then it answers. */
import { wholeAnswer } from './answers.ts'

export interface Told {
  role: string
  content?: unknown
}

/** Does next to nothing, so that the loop around it is what is measured. */
export const askedTool = 'time_now'

/** A result as that tool gives it: a time, and the same in words. */
const result = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*\n/

/** @returns status and body; 400 for a tool that failed, since a loop whose tools all fail is not the one to measure */
export function toolTurn(steps: number, messages: readonly Told[]): { status: number; body: string } {
  const results = messages.filter(({ role }) => role === 'tool')
  const failed = results.find(({ content }) => typeof content !== 'string' || !result.test(content))
  if (failed) return { status: 400, body: refusal(`the tool said ${JSON.stringify(failed.content)?.slice(0, 200)}`) }
  if (results.length >= steps) return { status: 200, body: wholeAnswer }
  return { status: 200, body: wantsTool(results.length) }
}

export function callOf(step: number): object {
  return { id: `call_${step}`, type: 'function', function: { name: askedTool, arguments: '{"timezone":"UTC"}' } }
}

function wantsTool(step: number): string {
  const message = { role: 'assistant', content: null, tool_calls: [callOf(step)] }
  return JSON.stringify({
    ...{ id: 'chatcmpl-0197f3a2b1c47d2e9f61', object: 'chat.completion', created: 1_760_000_000, model: 'bench' },
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'tool_calls' }],
    usage: { prompt_tokens: 96, completion_tokens: 16, total_tokens: 112 },
  })
}

function refusal(message: string): string {
  return JSON.stringify({ error: { message, type: 'invalid_request_error' } })
}
