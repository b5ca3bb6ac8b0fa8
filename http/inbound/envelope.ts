/** A message as a connector posts it. */
import { z } from 'zod'

const Attachment = z.object({
  url: z.url({ protocol: /^https?$/ }).max(2_000),
  name: z.string().max(255).optional(),
  content_type: z.string().max(255).optional(),
})

/** Nothing that the store would leave out: `anna` and `anna\0` are not one sender. */
export const SenderId = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must have no control characters')

export const InboundEnvelope = z.object({
  channel: z.string().min(1).max(64).describe('The name of a channel.'),
  external_id: SenderId.describe('A stable id of the sender. Each sender has one conversation.'),
  text: z.string().max(100_000).describe('Goes to the agent.'),
  message_id: SenderId.optional().describe('The id of the message in the channel. A repeated one is stored once.'),
  sender_name: z.string().max(255).optional(),
  reply_to: z.string().max(2_000).optional().describe('Sent back with the answers; stored until another is posted.'),
  attachments: z.array(Attachment).max(20).optional(),
  metadata: z
    .record(z.string().max(64), z.string().max(2_000))
    .optional()
    .describe('Stored with the message; not sent to the model.'),
  occurred_at: z.iso.datetime({ offset: true }).optional().describe('When it was written. Stored with the message.'),
})
export type InboundEnvelope = z.infer<typeof InboundEnvelope>

/** The body may leave out the channel when the path names it. */
export const ChannelledEnvelope = InboundEnvelope.extend({ channel: InboundEnvelope.shape.channel.optional() })

/** What the model gets: the text, or parts where there are attachments. */
export function contentOf({ text, attachments }: InboundEnvelope): unknown {
  if (!attachments || attachments.length === 0) return text
  const parts = attachments.map(({ url, name, content_type: type }) =>
    type?.startsWith('image/')
      ? { type: 'image_url', image_url: { url } }
      : { type: 'text', text: `[attachment] ${name ?? 'file'}${type ? ` (${type})` : ''}: ${url}` },
  )
  return [...(text === '' ? [] : [{ type: 'text', text }]), ...parts]
}

/** What is stored with the message and not sent to the model; null: nothing. */
export function detailsOf({ metadata, attachments, occurred_at }: InboundEnvelope): object | null {
  const details = { metadata, attachments, occurred_at }
  return Object.values(details).some((detail) => detail !== undefined) ? details : null
}
