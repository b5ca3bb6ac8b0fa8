/** The request split into what the service acts on, what the chat call carries, and what the response repeats. */
import type { ResponsesOptions } from '../../actors/turn/messages.ts'
import { encryptedReasoning } from '../../models/responses/reasoning.ts'
import type { ResponseId } from '../../store/id.ts'
import { badRequest } from '../error.ts'
import { isFields, responseFormatOf, toolChoiceOf, toolsOf, withoutNulls } from './chat-tools.ts'
import type { CreateResponse, InputItem } from './request.ts'

type Fields = Record<string, unknown>

export interface ParsedResponse {
  model: string
  instructions: string | null
  input: InputItem[]
  previous: ResponseId | null
  isStored: boolean
  isBackground: boolean
  isStream: boolean
  /** The parameters of the chat call. */
  parameters: Fields
  responses: ResponsesOptions
  /** The fields that the response repeats. */
  repeated: Repeated
  /** Its reasoning goes to the client sealed. */
  includesSealedReasoning: boolean
}

export type Repeated = ReturnType<typeof repeatedOf>

/** Fields that are ours, or go to the model in another form; all others go on to an endpoint of this style. */
const ours = new Set([
  ...['model', 'input', 'instructions', 'previous_response_id', 'store', 'background', 'stream', 'stream_options'],
  ...['tools', 'tool_choice', 'parallel_tool_calls', 'max_output_tokens', 'temperature', 'top_p', 'top_logprobs'],
  ...['text', 'include', 'metadata', 'conversation', 'prompt', 'user', 'safety_identifier', 'prompt_cache_key'],
  'service_tier',
])

/** What an answer may be asked to include; what comes of hosted tools is never there. */
const included = new Set([
  ...[encryptedReasoning, 'message.output_text.logprobs', 'message.input_image.image_url'],
  ...['web_search_call.action.sources', 'web_search_call.results', 'file_search_call.results'],
  ...['code_interpreter_call.outputs', 'computer_call_output.output.image_url'],
])

export function parseResponse(request: CreateResponse): ParsedResponse {
  refuseUnsupported(request)
  const { input, instructions, previous_response_id: previous } = request
  const isStored = request.store ?? true
  const include = request.include ?? []
  const includesSealedReasoning = include.includes(encryptedReasoning)
  return {
    model: request.model,
    instructions: instructions || null,
    input: typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : (input ?? []),
    previous: previous ?? null,
    isStored,
    isBackground: request.background === true,
    isStream: request.stream === true,
    parameters: chatParameters(request),
    responses: {
      parameters: withoutNulls(Object.fromEntries(Object.entries(request).filter(([name]) => !ours.has(name)))),
      // A stored response goes on where its model was.
      keepsReasoning: isStored || includesSealedReasoning,
    },
    repeated: repeatedOf(request),
    includesSealedReasoning,
  }
}

function refuseUnsupported(request: CreateResponse): void {
  const { conversation, prompt, include, store, background, input, previous_response_id: previous } = request
  if (conversation !== undefined && conversation !== null)
    throw badRequest('Conversations of this API are not supported; continue with previous_response_id.', 'conversation')
  if (prompt !== undefined && prompt !== null)
    throw badRequest('Stored prompts are not supported; send instructions, or name an agent as the model.', 'prompt')
  const unknown = include?.findIndex((name) => !included.has(name)) ?? -1
  if (unknown >= 0) throw badRequest(`${JSON.stringify(include?.[unknown])} cannot be included.`, `include[${unknown}]`)
  if (background && store === false)
    throw badRequest('A response in the background is stored: store cannot be false.', 'background')
  const isEmpty = input === undefined || input === null || input.length === 0
  if (isEmpty && !previous && !request.instructions) throw badRequest('There is nothing to answer.', 'input')
}

function chatParameters(request: CreateResponse): Fields {
  const { tools, tool_choice: choice, text, reasoning, include, top_logprobs: logprobs } = request
  const wantsLogprobs = (logprobs ?? 0) > 0 || include?.includes('message.output_text.logprobs')
  return withoutNulls({
    tools: tools && tools.length > 0 ? toolsOf(tools) : undefined,
    tool_choice: tools && tools.length > 0 && choice ? toolChoiceOf(choice) : undefined,
    parallel_tool_calls: tools && tools.length > 0 ? request.parallel_tool_calls : undefined,
    max_completion_tokens: request.max_output_tokens,
    temperature: request.temperature,
    top_p: request.top_p,
    logprobs: wantsLogprobs ? true : undefined,
    top_logprobs: logprobs || undefined,
    response_format: text?.format ? responseFormatOf(text.format) : undefined,
    verbosity: text?.verbosity,
    reasoning_effort: reasoning?.effort,
    user: request['user'],
    safety_identifier: request['safety_identifier'],
    prompt_cache_key: request['prompt_cache_key'],
    service_tier: request['service_tier'],
  })
}

function repeatedOf(request: CreateResponse) {
  const { text, reasoning } = request
  return {
    background: request.background === true,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    metadata: request.metadata ?? {},
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
    prompt_cache_key: textOrNull(request['prompt_cache_key']),
    reasoning: { effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? null },
    safety_identifier: textOrNull(request['safety_identifier']),
    service_tier: textOrNull(request['service_tier']) ?? 'default',
    store: request.store ?? true,
    temperature: request.temperature ?? null,
    text: { ...(isFields(text) && text), format: text?.format ?? { type: 'text' } },
    tool_choice: request.tool_choice ?? 'auto',
    tools: request.tools ?? [],
    top_logprobs: request.top_logprobs ?? 0,
    top_p: request.top_p ?? null,
    truncation: request.truncation ?? 'disabled',
    user: textOrNull(request['user']),
    include: request.include ?? [],
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
