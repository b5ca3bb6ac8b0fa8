/** A message as a connector posts it. */
import { z } from 'zod'

const Attachment = z.object({
  url: z.url({ protocol: /^https?$/ }).max(2_000),
  name: z.string().max(255).optional(),
  content_type: z.string().max(255).optional(),
})

export const InboundEnvelope = z.object({
  channel: z.string().min(1).max(64).describe('The name of a channel.'),
  external_id: z.string().min(1).max(255).describe('The sender, always the same: one conversation each.'),
  text: z.string().max(100_000).describe('What the agent is told.'),
  message_id: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('As the channel names the message: taken twice, it is one.'),
  sender_name: z.string().max(255).optional(),
  reply_to: z.string().max(2_000).optional().describe('Handed back with the answers; kept until another is sent.'),
  attachments: z.array(Attachment).max(20).optional(),
  metadata: z
    .record(z.string().max(64), z.string().max(2_000))
    .optional()
    .describe('Kept with the message; the model is not told.'),
  occurred_at: z.iso.datetime({ offset: true }).optional().describe('When it was written; kept with the message.'),
})
export type InboundEnvelope = z.infer<typeof InboundEnvelope>

/** With the channel in the path it may be left out of the body. */
export const ChannelledEnvelope = InboundEnvelope.extend({ channel: InboundEnvelope.shape.channel.optional() })

/** What the model is told: the text, or parts where there is more than text. */
export function contentOf({ text, attachments }: InboundEnvelope): unknown {
  if (!attachments || attachments.length === 0) return text
  const parts = attachments.map(({ url, name, content_type: type }) =>
    type?.startsWith('image/')
      ? { type: 'image_url', image_url: { url } }
      : { type: 'text', text: `[attachment] ${name ?? 'file'}${type ? ` (${type})` : ''}: ${url}` },
  )
  return [...(text === '' ? [] : [{ type: 'text', text }]), ...parts]
}

/** What is kept with the message and not told to the model; null: nothing. */
export function detailsOf({ metadata, attachments, occurred_at }: InboundEnvelope): object | null {
  const details = { metadata, attachments, occurred_at }
  return Object.values(details).some((detail) => detail !== undefined) ? details : null
}
