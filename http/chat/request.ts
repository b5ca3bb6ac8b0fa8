/** The request of the chat endpoint. Fields that we do not know are passed on to the model unchanged. */
import { z } from 'zod'

/** Text, or the parts of a multimodal message; a tool-calling assistant message may have none. */
const Content = z.union([z.string(), z.array(z.looseObject({ type: z.string() })).max(1_000), z.null()])

const Message = z
  .looseObject({
    role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
    content: Content.optional(),
    name: z.string().max(256).optional(),
  })
  .refine((message) => message.role === 'assistant' || (message.content !== undefined && message.content !== null), {
    message: 'is required for every role but assistant',
    path: ['content'],
  })

const metadataMax = 64

export const ChatCompletionRequest = z.looseObject({
  /** A model, or an agent's name. */
  model: z.string().min(1).max(256),
  /** The conversation so far, oldest first; of a stored conversation only the new messages. */
  messages: z.array(Message).min(1).max(10_000),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  n: z.int().min(1).max(128).nullish(),
  metadata: z
    .record(z.string(), z.unknown())
    .refine((metadata) => Object.keys(metadata).length <= metadataMax, `has more than ${metadataMax} fields`)
    .nullish(),
})
export type ChatCompletionRequest = z.infer<typeof ChatCompletionRequest>
export type RequestMessage = ChatCompletionRequest['messages'][number]

/** The request split into what the service acts on and what it only passes on. */
export interface ParsedRequest {
  model: string
  messages: RequestMessage[]
  isStream: boolean
  includesUsage: boolean
  /** From `metadata.conversation_id`; not sent to the model. */
  conversationId: string | undefined
  parameters: Record<string, unknown>
}

export function parseChatRequest(request: ChatCompletionRequest): ParsedRequest {
  const { model, messages, stream, metadata, ...parameters } = request
  const { conversation_id, ...rest } = metadata ?? {}
  if (Object.keys(rest).length > 0) parameters['metadata'] = rest
  for (const [name, value] of Object.entries(parameters)) if (value === null) delete parameters[name]
  return {
    model,
    messages,
    isStream: stream === true,
    includesUsage: request.stream_options?.include_usage === true,
    conversationId: typeof conversation_id === 'string' && conversation_id !== '' ? conversation_id : undefined,
    parameters,
  }
}
