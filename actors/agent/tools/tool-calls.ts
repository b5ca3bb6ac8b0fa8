/** The calls in a model's message: anything may be wrong with them. */
import type { ChatMessage } from '../../../models/transport.ts'

export interface ToolCall {
  /** The model's own, or one of ours where it gave none. */
  id: string
  name: string
  /** Parsed; where that failed, the text as it came. */
  arguments: unknown
  /** Why the arguments cannot be read, in words for the model. */
  problem?: string
}

const argumentCharactersMax = 1_000_000

/** JSON of any depth parses; what is done with it afterwards recurses. */
const depthMax = 64

export function toolCallsOf(message: ChatMessage, n: number): ToolCall[] {
  const calls = message['tool_calls']
  if (!Array.isArray(calls)) return []
  return calls.map((call: unknown, at) => {
    const { id, function: called } = (call ?? {}) as {
      id?: unknown
      function?: { name?: unknown; arguments?: unknown }
    }
    return {
      id: typeof id === 'string' && id !== '' ? id : `call_${n}_${at}`,
      name: typeof called?.name === 'string' ? called.name : '',
      ...argumentsOf(called?.arguments),
    }
  })
}

function argumentsOf(args: unknown): Pick<ToolCall, 'arguments' | 'problem'> {
  // Some endpoints give them parsed, and some leave out what is empty.
  if (args === undefined || args === null || args === '') return { arguments: {} }
  if (typeof args !== 'string') return { arguments: args }
  if (args.length > argumentCharactersMax)
    return {
      arguments: args.slice(0, 200),
      problem: `The arguments are longer than ${argumentCharactersMax} characters.`,
    }
  if (isDeep(args))
    return { arguments: args.slice(0, 200), problem: `The arguments are nested deeper than ${depthMax} levels.` }
  try {
    return { arguments: JSON.parse(args) }
  } catch {
    return { arguments: args, problem: 'The arguments are no valid JSON. Send one JSON object.' }
  }
}

function isDeep(text: string): boolean {
  let depth = 0
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (isInString) {
      if (unit === 0x5c) at++
      else if (unit === 0x22) isInString = false
    } else if (unit === 0x22) isInString = true
    else if (unit === 0x5b || unit === 0x7b) {
      if (++depth > depthMax) return true
    } else if (unit === 0x5d || unit === 0x7d) depth--
  }
  return false
}

/** Endpoints do not take back every name that a model makes up; the result says that it is unknown. */
function acceptableName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unnamed'
}

/** The message as it goes back to the model: every call with an id and with arguments that are a text. */
export function withCalls(message: ChatMessage, calls: readonly ToolCall[]): ChatMessage {
  if (!Array.isArray(message['tool_calls'])) return message
  return {
    ...message,
    // Endpoints would refuse what is no JSON: the model is told of it in the result.
    tool_calls: calls.map((call) => ({
      id: call.id,
      type: 'function',
      function: {
        name: acceptableName(call.name),
        arguments: call.problem === undefined ? JSON.stringify(call.arguments) : '{}',
      },
    })),
  }
}
