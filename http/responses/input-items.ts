/** `GET /v1/responses/:response_id/input_items`: what a stored response was made from, in pages. */
import { z } from 'zod'
import { inputOf } from '../../models/responses/input.ts'
import type { ChatMessage } from '../../models/transport.ts'
import { idFrom, type MessageId } from '../../store/id.ts'
import { type InputMessage, inputMessages } from '../../store/responses.ts'
import { key } from '../access.ts'
import { badRequest } from '../error.ts'
import { route } from '../route.ts'
import { type ClientTool, clientTools } from './chat-tools.ts'
import { findResponse, ResponsePath } from './find.ts'
import { itemId, parseItemId } from './ids.ts'
import { clientCall } from './output.ts'

type Fields = Record<string, unknown>

export const listInputItems = route({
  method: 'GET',
  path: '/v1/responses/:response_id/input_items',
  summary: 'List the input items of a response',
  description:
    'Without those of the responses before it. A page may have fewer than limit; has_more says whether it is the last.',
  tag: 'responses',
  access: key('chat'),
  params: ResponsePath,
  query: z.object({
    after: z.string().max(128).optional().describe('The last item of the page before.'),
    limit: z.coerce.number().int().min(1).max(100).default(20),
    order: z.enum(['asc', 'desc']).default('desc'),
  }),
  answers: {
    200: z.object({
      object: z.literal('list'),
      data: z.array(z.looseObject({ id: z.string(), type: z.string() })),
      first_id: z.string().nullable(),
      last_id: z.string().nullable(),
      has_more: z.boolean(),
    }),
  },
  async handle(call) {
    const { after, limit, order } = call.query
    const record = await findResponse(call, call.params.response_id)
    const from = after === undefined ? null : messageIn(after)
    const isAscending = order === 'asc'
    const page = { isAscending, from, limit: limit + 1 }
    const { messages, hasMore } = await inputMessages(call.app.db, call.principal.workspaceId, record.id, page)
    const tools = clientTools(record.request['tools'])
    const items = messages.flatMap((message) => {
      const ofMessage = itemsOf(message, tools)
      return isAscending ? ofMessage : ofMessage.reverse()
    })
    const first = after === undefined ? 0 : items.findIndex(({ id }) => id === after) + 1
    if (after !== undefined && first === 0) throw noItem()
    const data = items.slice(first, first + limit)
    return {
      object: 'list' as const,
      data,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: items.length > first + limit || hasMore,
    }
  },
})

function messageIn(item: string): MessageId {
  const owner = parseItemId(item)
  if (!owner) throw noItem()
  return idFrom('msg', owner.uuid)
}

const noItem = () => badRequest('There is no such item in the input of this response.', 'after')

function itemsOf(
  { id, body }: InputMessage,
  tools: ReadonlyMap<string, ClientTool>,
): (Fields & { id: string; type: string })[] {
  const { input } = inputOf({ messages: [body as ChatMessage], keepsReasoning: true })
  return input.map((item, at) => {
    switch (item['type']) {
      case 'function_call': {
        const { arguments: text, name, call_id: callId } = item
        const called = { callId: String(callId), name: String(name), text: String(text), isFreeText: false }
        return { id: '', type: '', ...clientCall(tools, { owner: id, place: at, status: 'completed', ...called }) }
      }
      case 'custom_tool_call':
        return { ...item, id: itemId('custom_tool_call', id, at), type: 'custom_tool_call', status: 'completed' }
      case 'function_call_output':
      case 'custom_tool_call_output':
        return { ...item, id: itemId('output', id, at), type: String(item['type']), status: 'completed' }
      case 'reasoning':
        return { ...item, id: itemId('reasoning', id, at), type: 'reasoning' }
      default: {
        const { role, content } = item
        const type = role === 'assistant' ? 'output_text' : 'input_text'
        const parts = typeof content === 'string' ? [{ type, text: content }] : content
        return { id: itemId('message', id, at), type: 'message', role, status: 'completed', content: parts }
      }
    }
  })
}
