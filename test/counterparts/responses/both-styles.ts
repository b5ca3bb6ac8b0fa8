/** One answer in both styles: as a chat completion, which the service asks for, and as a response, which a client asks for directly. */
import OpenAI from 'openai'
import { type GatewayUnderTest, gatewayUnderTest, testKey } from '../../support/gateway.ts'
import {
  chunkOf,
  completionOf,
  type EndpointCall,
  type ScriptedAnswer,
  usageChunk,
} from '../../support/model-endpoint.ts'

type Fields = Record<string, unknown>

export interface Said {
  reasoning?: string
  /** Streamed word by word. */
  words?: string[]
  calls?: { id: string; name: string; arguments: string }[]
  isCut?: boolean
}

export interface BothWays {
  service: GatewayUnderTest
  ours: { baseURL: string; apiKey: string }
  direct: { baseURL: string; apiKey: string }
  /** The same call on both ways, each with these answers. */
  both<Result>(
    said: Said[],
    call: (way: { baseURL: string; apiKey: string }) => Promise<Result>,
  ): Promise<[through: Result, straight: Result]>
  clients<Result>(said: Said[], call: (client: OpenAI) => Promise<Result>): Promise<[through: Result, straight: Result]>
}

export async function bothWays(): Promise<BothWays> {
  const service = await gatewayUnderTest()
  const ours = { baseURL: `${service.url}/v1`, apiKey: testKey }
  const direct = { baseURL: service.endpoint.url, apiKey: 'sk-any' }
  async function both<Result>(said: Said[], call: (way: typeof ours) => Promise<Result>): Promise<[Result, Result]> {
    const results: Result[] = []
    for (const way of [ours, direct]) {
      service.endpoint.script(...said.map(inBothStyles))
      results.push(await call(way))
    }
    return results as [Result, Result]
  }
  return {
    service,
    ours,
    direct,
    both,
    clients: (said, call) => both(said, (way) => call(new OpenAI({ ...way, maxRetries: 0 }))),
  }
}

export function inBothStyles(said: Said): ScriptedAnswer {
  return (call) => (call.request.path.endsWith('/responses') ? asResponse(said, call) : asChat(said, call))
}

const counts = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 }

function asChat({ reasoning, words = [], calls = [], isCut }: Said, call: EndpointCall): void {
  const finish = isCut ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop'
  const toolCalls = calls.map(({ id, ...called }) => ({ id, type: 'function', function: called }))
  if (call.request.body.stream !== true) {
    const text = words.join('')
    const message = {
      role: 'assistant',
      content: text === '' ? null : text,
      ...(reasoning && { reasoning_content: reasoning }),
      ...(calls.length > 0 && { tool_calls: toolCalls }),
    }
    sendJson(call, completionOf('', { choices: [{ index: 0, message, finish_reason: finish }], usage: counts }))
    return
  }
  call.openStream()
  call.event(chunkOf({ role: 'assistant', content: '' }))
  if (reasoning) call.event(chunkOf({ reasoning_content: reasoning }))
  for (const content of words) call.event(chunkOf({ content }))
  for (const [index, one] of toolCalls.entries()) call.event(chunkOf({ tool_calls: [{ index, ...one }] }))
  call.event(chunkOf({}, { finish }))
  call.event(usageChunk(counts))
  call.event('[DONE]')
  call.end()
}

function asResponse({ reasoning, words = [], calls = [], isCut }: Said, call: EndpointCall): void {
  const status = isCut ? 'incomplete' : 'completed'
  const text = words.join('')
  const output: Fields[] = []
  if (reasoning) output.push({ id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: reasoning }] })
  const part = { type: 'output_text', text, annotations: [], logprobs: [] }
  if (text !== '') output.push({ id: 'msg_1', type: 'message', status, role: 'assistant', content: [part] })
  for (const { id, ...called } of calls)
    output.push({ id: `fc_${id}`, type: 'function_call', status, call_id: id, ...called })
  const response = (now: string, items: Fields[]): Fields => ({
    ...{ id: 'resp_1', object: 'response', created_at: 1_700_000_000, status: now, model: 'scripted-1', output: items },
    ...{ error: null, incomplete_details: isCut && now !== 'in_progress' ? { reason: 'max_output_tokens' } : null },
    ...{ instructions: null, metadata: {}, parallel_tool_calls: true, temperature: 1, top_p: 1, tools: [] },
    ...{ tool_choice: 'auto', text: { format: { type: 'text' } }, previous_response_id: null, store: true },
    usage:
      now === 'in_progress'
        ? null
        : {
            ...{ input_tokens: 9, input_tokens_details: { cached_tokens: 0 } },
            ...{ output_tokens: 3, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 12 },
          },
  })
  if (call.request.body.stream !== true) {
    sendJson(call, response(status, output))
    return
  }
  call.openStream()
  let sequence_number = 0
  const send = (type: string, fields: Fields) => call.event({ type, sequence_number: sequence_number++, ...fields })
  send('response.created', { response: response('in_progress', []) })
  send('response.in_progress', { response: response('in_progress', []) })
  for (const [output_index, item] of output.entries()) {
    const item_id = item['id']
    const place = { output_index, item_id }
    const empty = {
      reasoning: { summary: [] },
      message: { content: [], status: 'in_progress' },
      function_call: { arguments: '', status: 'in_progress' },
    }[item['type'] as 'reasoning']
    send('response.output_item.added', { output_index, item: { ...item, ...empty } })
    if (item['type'] === 'reasoning') {
      const summary = { ...place, summary_index: 0 }
      send('response.reasoning_summary_part.added', { ...summary, part: { type: 'summary_text', text: '' } })
      send('response.reasoning_summary_text.delta', { ...summary, delta: reasoning })
      send('response.reasoning_summary_text.done', { ...summary, text: reasoning })
      send('response.reasoning_summary_part.done', { ...summary, part: { type: 'summary_text', text: reasoning } })
    } else if (item['type'] === 'message') {
      const content = { ...place, content_index: 0 }
      send('response.content_part.added', { ...content, part: { ...part, text: '' } })
      for (const delta of words) send('response.output_text.delta', { ...content, delta, logprobs: [] })
      send('response.output_text.done', { ...content, text, logprobs: [] })
      send('response.content_part.done', { ...content, part })
    } else {
      send('response.function_call_arguments.delta', { ...place, delta: item['arguments'] })
      send('response.function_call_arguments.done', { ...place, name: item['name'], arguments: item['arguments'] })
    }
    send('response.output_item.done', { output_index, item })
  }
  send(`response.${status}`, { response: response(status, output) })
  call.end()
}

function sendJson({ response }: EndpointCall, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

/** What is the vendor's or ours alone: ids, times, and fields that a model does not say. */
export function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name]) => !own.has(name))
  return Object.fromEntries(kept.map(([name, field]) => [name, withoutIds(field)]))
}
const own = new Set([
  ...['id', 'item_id', 'itemId', 'response_id', 'created_at', 'completed_at', 'request_id', '_request_id'],
  ...['temperature', 'top_p', 'background', 'max_output_tokens', 'max_tool_calls', 'prompt_cache_key', 'reasoning'],
  ...['safety_identifier', 'service_tier', 'top_logprobs', 'truncation', 'user', 'obfuscation'],
  // What was asked, as it was asked.
  ...['instructions', 'metadata', 'tools', 'tool_choice', 'text_options', 'previous_response_id', 'store'],
])
