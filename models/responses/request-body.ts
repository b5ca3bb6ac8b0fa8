/** A request of the chat convention as the body of the responses style. */

import { modelOf } from '../chat/request-body.ts'
import type { BodyOptions } from '../http/dialect.ts'
import { isRecord } from '../http/fields.ts'
import type { ModelRequest } from '../transport.ts'
import { inputOf } from './input.ts'
import { encryptedReasoning } from './reasoning.ts'

type Parameters = Readonly<Record<string, unknown>>

/** Without a word in this style, and what says as much as their absence. */
const unsaid: Readonly<Record<string, (value: unknown) => boolean>> = {
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
  // Both only hint at something: an answer without them is an answer all the same.
  prediction: () => true,
  seed: () => true,
}

/** Said in another place or under another name, or ours to say. */
const translated = new Set([
  ...['model', 'messages', 'stream', 'stream_options', 'instructions', 'input'],
  ...['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'reasoning_effort', 'reasoning'],
  ...['response_format', 'verbosity', 'text', 'tools', 'tool_choice'],
])

export function unsupportedParameterIn({ parameters }: ModelRequest): string | undefined {
  return Object.keys(unsaid).find((name) => {
    const value = parameters[name]
    return value !== undefined && value !== null && !unsaid[name]?.(value)
  })
}

export function responsesBody(request: ModelRequest, form: BodyOptions): string {
  const { parameters } = request
  const { instructions, input } = inputOf(request.messages, request.keepsReasoning)
  const model = modelOf(request, form)
  const body: Record<string, unknown> = {
    ...(model !== '' && { model }),
    ...(instructions !== '' && { instructions }),
    input,
    // Conversations are kept here; a second copy at the endpoint is the operator's choice, not the default.
    store: false,
  }
  for (const name in parameters)
    if (!translated.has(name) && !(name in unsaid) && parameters[name] !== null) body[name] = parameters[name]
  put(body, 'max_output_tokens', outputTokensMaxIn(parameters))
  put(body, 'reasoning', reasoningIn(parameters))
  put(body, 'text', textFormIn(parameters))
  put(body, 'tools', toolsIn(parameters))
  if (request.keepsReasoning) body['include'] = includedIn(parameters)
  put(body, 'tool_choice', choiceOf(parameters['tool_choice']))
  if (form.temperature !== undefined) body['temperature'] ??= form.temperature
  if (form.topP !== undefined) body['top_p'] ??= form.topP
  if (form.isStream) body['stream'] = true
  return JSON.stringify(body)
}

/** What the client wants included, and what is carried through the turn. */
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

function reasoningIn(parameters: Parameters): unknown {
  const { reasoning_effort: effort, reasoning } = parameters
  if (effort === undefined || effort === null) return reasoning
  return { ...(isRecord(reasoning) && reasoning), effort }
}

function textFormIn({ response_format: format, verbosity, text }: Parameters): unknown {
  const form: Record<string, unknown> = isRecord(text) ? { ...text } : {}
  put(form, 'verbosity', verbosity)
  if (isRecord(format)) {
    const { json_schema: schema, ...rest } = format
    form['format'] = { ...(isRecord(schema) && schema), ...rest }
  }
  return Object.keys(form).length === 0 ? undefined : form
}

/** Tools of kinds that we do not know go as they came. */
function toolsIn({ tools }: Parameters): unknown {
  if (!Array.isArray(tools) || tools.length === 0) return undefined
  return tools.map((tool) => {
    if (!isRecord(tool) || !isRecord(tool['function'])) return tool
    const { strict, ...called } = tool['function']
    // This style is strict where nothing is said, the chat convention is not.
    return { type: 'function', ...called, strict: strict ?? false }
  })
}

function choiceOf(choice: unknown): unknown {
  if (!isRecord(choice)) return choice
  const { allowed_tools: allowed, function: called } = choice
  if (isRecord(called)) return { type: 'function', name: called['name'] }
  if (!isRecord(allowed)) return choice
  const tools = Array.isArray(allowed['tools']) ? allowed['tools'].map(choiceOf) : []
  return { type: 'allowed_tools', mode: allowed['mode'], tools }
}
