/** One thing that waits for a person, with what is needed to decide it. */
import { z } from 'zod'
import { ConversationId, TurnId } from '../../../store/id.ts'
import type { Asker, Precedents } from '../../../store/inbox/context.ts'
import { TurnOrigin } from '../../../store/turns/origin.ts'

export const InboxItem = z.object({
  kind: z.string().describe('A name of GET /v1/admin/inbox: which page and route it is decided by.'),
  id: z.string().describe('Of an approval its own; of an unknown effect its turn, path and number, joined by spaces.'),
  since: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable().describe('Null: it waits until somebody decides.'),
  agent: z.string().nullable(),
  tool: z.string(),
  arguments: z.unknown(),
  path: z.string().describe('The place in the turn; empty: its main loop.'),
  n: z.int().describe('The number of the step in the path.'),
  turn_id: TurnId,
  conversation_id: ConversationId.nullable(),
  asked_by: z
    .object({
      origin: TurnOrigin,
      title: z.string().nullable().describe('Of the conversation.'),
      channel: z.string().nullable(),
      sender: z.string().nullable().describe('The person’s id in the channel.'),
      sender_name: z.string().nullable(),
      api_key: z.string().nullable().describe('The name of the key.'),
      operator: z.string().nullable().describe('The login of the operator whose conversation it is.'),
    })
    .nullable()
    .describe('Null: the turn is not there any more.'),
  said: z
    .array(z.object({ role: z.enum(['user', 'assistant', 'operator']), text: z.string() }))
    .describe('What led to it: the last messages, cut. `operator`: an operator wrote it in the sender’s place.'),
  effect: z
    .object({
      description: z.string().describe('Of the tool, as the model gets it.'),
      risk: z.enum(['read', 'write', 'host']),
      idempotency: z.enum(['repeatable', 'once']),
    })
    .nullable()
    .describe('What happens if it is done; null: the tool is not there any more.'),
  precedents: z
    .object({
      approved: z.int(),
      refused: z.int(),
      newest: z.array(
        z.object({
          status: z.enum(['approved', 'refused']),
          by: z.string().nullable(),
          reason: z.string().nullable(),
          at: z.iso.datetime(),
        }),
      ),
    })
    .describe('What was decided on the newest calls of this tool by this agent.'),
})
export type InboxItem = z.infer<typeof InboxItem>

export function askedByOf(asker: Asker | undefined, operator: string | null): InboxItem['asked_by'] {
  if (!asker) return null
  const { origin, title, channel, sender, senderName, apiKey } = asker
  return { origin, title, channel, sender, sender_name: senderName, api_key: apiKey, operator }
}

export function precedentsViewOf(precedents: Precedents | undefined): InboxItem['precedents'] {
  if (!precedents) return { approved: 0, refused: 0, newest: [] }
  const { approved, refused, newest } = precedents
  return { approved, refused, newest: newest.map((decision) => ({ ...decision, at: decision.at.toISOString() })) }
}
