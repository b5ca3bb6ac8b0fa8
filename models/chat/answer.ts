/** A whole answer of the chat convention. */
import type { WholeAnswer } from '../http/dialect.ts'
import { type EndpointLabel, errorInAnswer, malformedAnswer } from '../http/failures.ts'
import { isRecord, nameOrUndefined } from '../http/fields.ts'
import { generatedText } from '../http/generated-text.ts'
import { normalizedCalls } from '../http/tool-calls.ts'
import { usageIn } from '../http/usage-counts.ts'
import type { ModelChoice } from '../transport.ts'
import { collectExtra } from './chunk.ts'

/** @throws ModelError */
export function chatAnswer(body: Record<string, unknown>, endpoint: EndpointLabel): WholeAnswer {
  const { choices, model } = body
  // Some endpoints answer a failure with status 200.
  if (body['error'] && !Array.isArray(choices)) throw errorInAnswer(body['error'], endpoint)
  if (!Array.isArray(choices) || !choices.every(isChoice)) throw malformedAnswer('an answer without choices')
  const extra: Record<string, unknown> = {}
  collectExtra(body, extra)
  return {
    model: nameOrUndefined(model),
    choices: choices.map(normalized),
    usage: usageIn(body['usage']),
    extra,
    answerText: choices.map(({ message }) => generatedText(message)).join('\n'),
  }
}

function normalized(choice: ModelChoice): ModelChoice {
  const { role, tool_calls: calls } = choice.message
  const inForm = Array.isArray(calls) ? normalizedCalls(calls) : calls
  const isNormal = inForm === calls && role === answerRole
  // Whose the words are is not for the endpoint to say: they are stored, and sent again, under this role.
  const message = isNormal
    ? choice.message
    : { ...choice.message, role: answerRole, ...(inForm !== calls && { tool_calls: inForm }) }
  return { ...choice, message, finish_reason: nameOrUndefined(choice.finish_reason) ?? null }
}

const answerRole = 'assistant'

/** Its role and the reason of its end may be anything until it is normalized. */
function isChoice(value: unknown): value is ModelChoice {
  return isRecord(value) && typeof value['index'] === 'number' && isRecord(value['message'])
}
