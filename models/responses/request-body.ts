/** A request of the chat convention as the body of the responses style. */

import type { BodyOptions } from '../http/dialect.ts'
import { isRecord } from '../http/fields.ts'
import { requestedModel } from '../http/requested-model.ts'
import type { ModelRequest } from '../transport.ts'
import { inputOf } from './input.ts'
import { encryptedReasoning } from './reasoning.ts'

type Parameters = Readonly<Record<string, unknown>>

/** Parameters that this style does not have, each with the values that change nothing and are left out. */
const unsupported: Readonly<Record<string, (value: unknown) => boolean>> = {
  n: (value) => value === 1,
  stop: (value) => Array.isArray(value) && value.length === 0,
  frequency_penalty: (value) => value === 0,
  presence_penalty: (value) => value === 0,
  logprobs: (value) => value === false,
  top_logprobs: (value) => value === 0,
  logit_bias: (value) => isRecord(value) && Object.keys(value).length === 0,
  modalities: (value) => Array.isArray(value) && value.every((each) => each === 'text'),
  audio: () => false,
  functions: (value) => Array.isArray(value) && value.length === 0,
  function_call: (value) => value === 'none' || value === 'auto',
  web_search_options: () => false,
  // Both are hints only: an answer without them is complete.
  prediction: () => true,
  seed: () => true,
}

/** Sent in another place or under another name, or set by the service. */
const translated = new Set([
  ...['model', 'messages', 'stream', 'stream_options', 'instructions', 'input'],
  ...['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'reasoning_effort', 'reasoning'],
  ...['response_format', 'verbosity', 'text', 'tools', 'tool_choice'],
])

export function unsupportedParameterIn({ parameters }: ModelRequest): string | undefined {
  return Object.keys(unsupported).find((name) => {
    const value = parameters[name]
    return value !== undefined && value !== null && !unsupported[name]?.(value)
  })
}

export function responsesBody(request: ModelRequest, options: BodyOptions): string {
  const { parameters } = request
  const { instructions, input } = inputOf(request)
  const model = requestedModel(request, options)
  const body: Record<string, unknown> = {
    ...(model !== '' && { model }),
    ...(instructions !== '' && { instructions }),
    input,
    // Conversations are stored here; a second copy at the endpoint is the operator's choice, not the default.
    store: false,
  }
  for (const name in parameters)
    if (!translated.has(name) && !(name in unsupported) && parameters[name] !== null) body[name] = parameters[name]
  const { include, reasoning, ...others } = request.responsesParameters ?? {}
  Object.assign(body, others)
  put(body, 'max_output_tokens', outputTokensMaxIn(parameters))
  put(body, 'reasoning', reasoningOptions({ reasoning, ...parameters }))
  put(body, 'text', textOptions(parameters))
  put(body, 'tools', toolsIn(parameters))
  if (Array.isArray(include)) body['include'] = include
  if (request.keepsReasoning) body['include'] = includedIn(body)
  put(body, 'tool_choice', choiceOf(parameters['tool_choice']))
  if (options.temperature !== undefined) body['temperature'] ??= options.temperature
  if (options.topP !== undefined) body['top_p'] ??= options.topP
  if (options.isStream) body['stream'] = true
  return JSON.stringify(body)
}

/** The client's own list, and the sealed reasoning that travels through the turn. */
function includedIn({ include }: Parameters): unknown[] {
  return [...new Set([...(Array.isArray(include) ? include : []), encryptedReasoning])]
}

function put(body: Record<string, unknown>, name: string, value: unknown): void {
  if (value !== undefined && value !== null) body[name] = value
}

/** The client's own cap, under whichever of its three names. */
export function outputTokensMaxIn(parameters: Parameters): unknown {
  return parameters['max_output_tokens'] ?? parameters['max_completion_tokens'] ?? parameters['max_tokens']
}

function reasoningOptions(parameters: Parameters): unknown {
  const { reasoning_effort: effort, reasoning } = parameters
  if (effort === undefined || effort === null) return reasoning
  return { ...(isRecord(reasoning) && reasoning), effort }
}

function textOptions({ response_format: format, verbosity, text }: Parameters): unknown {
  const options: Record<string, unknown> = isRecord(text) ? { ...text } : {}
  put(options, 'verbosity', verbosity)
  if (isRecord(format)) {
    const { json_schema: schema, ...rest } = format
    options['format'] = { ...(isRecord(schema) && schema), ...rest }
  }
  return Object.keys(options).length === 0 ? undefined : options
}

/** Tools of unknown kinds go as they came. */
function toolsIn({ tools }: Parameters): unknown {
  if (!Array.isArray(tools) || tools.length === 0) return undefined
  return tools.map((tool) => {
    if (!isRecord(tool)) return tool
    if (isRecord(tool['custom'])) return { type: 'custom', ...tool['custom'] }
    if (!isRecord(tool['function'])) return tool
    const { strict, ...called } = tool['function']
    // This style is strict by default, the chat convention is not.
    return { type: 'function', ...called, strict: strict ?? false }
  })
}

function choiceOf(choice: unknown): unknown {
  if (!isRecord(choice)) return choice
  const { allowed_tools: allowed, function: called, custom } = choice
  if (isRecord(called)) return { type: 'function', name: called['name'] }
  if (isRecord(custom)) return { type: 'custom', name: custom['name'] }
  if (!isRecord(allowed)) return choice
  const tools = Array.isArray(allowed['tools']) ? allowed['tools'].map(choiceOf) : []
  return { type: 'allowed_tools', mode: allowed['mode'], tools }
}
