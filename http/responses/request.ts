/** The request of the responses endpoint. What it asks for and we do not have is refused by name; see docs/responses.md. */
import { z } from 'zod'
import { ResponseId } from '../../store/id.ts'

const Part = z.looseObject({ type: z.string().max(64) })
const Parts = z.array(Part).max(1_000)

/** A message may leave its type out. */
const InputItem = z.looseObject({
  type: z.string().max(64).nullish(),
  role: z.enum(['user', 'assistant', 'system', 'developer']).nullish(),
  content: z.union([z.string(), Parts, z.null()]).optional(),
})
export type InputItem = z.infer<typeof InputItem>

const Tool = z.looseObject({ type: z.string().max(64), name: z.string().max(256).nullish() })
export type RequestTool = z.infer<typeof Tool>

const metadataMax = 16

export const CreateResponse = z.looseObject({
  model: z.string().min(1).max(256).describe('A model, or an agent’s name.'),
  input: z
    .union([z.string(), z.array(InputItem).max(10_000)])
    .nullish()
    .describe(
      'A text, or items: messages, calls and their outputs, reasoning, references to items of stored responses.',
    ),
  instructions: z.string().nullish().describe('Of this response alone: one that continues it has its own.'),
  previous_response_id: ResponseId.nullish(),
  store: z.boolean().nullish().describe('By default true. False: nothing is kept of what was said.'),
  background: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({}).nullish(),
  tools: z.array(Tool).max(1_024).nullish(),
  tool_choice: z.union([z.enum(['none', 'auto', 'required']), z.looseObject({ type: z.string().max(64) })]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  max_tool_calls: z.int().min(1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  text: z
    .looseObject({
      format: z.looseObject({ type: z.enum(['text', 'json_schema', 'json_object']) }).nullish(),
      verbosity: z.string().max(64).nullish(),
    })
    .nullish(),
  reasoning: z.looseObject({ effort: z.string().max(64).nullish(), summary: z.string().max(64).nullish() }).nullish(),
  include: z.array(z.string().max(128)).max(64).nullish(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
  metadata: z
    .record(z.string().max(64), z.string().max(512))
    .refine((metadata) => Object.keys(metadata).length <= metadataMax, `has more than ${metadataMax} fields`)
    .nullish(),
  conversation: z.unknown().optional().describe('Not supported: continue with previous_response_id.'),
  prompt: z.unknown().optional().describe('Not supported.'),
})
export type CreateResponse = z.infer<typeof CreateResponse>
