/** Updates of the bot API, and the message in them that goes to the agent. */
import { z } from 'zod'
import type { IncomingMessage } from '../../adapter.ts'

const nameLengthMax = 200
/** Far above what the bot API allows; a compatible server may allow more. */
const textLengthMax = 100_000

const Name = z.string().optional()
const File = z.object({ file_name: Name, mime_type: Name })

const Message = z.object({
  message_id: z.int(),
  chat: z.object({ id: z.int(), title: Name }),
  from: z.object({ is_bot: z.boolean().optional(), first_name: Name, last_name: Name, username: Name }).optional(),
  text: z.string().optional(),
  caption: z.string().optional(),
  photo: z.array(z.unknown()).optional(),
  document: File.optional(),
  animation: File.optional(),
  video: File.optional(),
  audio: File.optional(),
  voice: File.optional(),
  video_note: z.unknown().optional(),
  sticker: z.object({ emoji: Name }).optional(),
  location: z.unknown().optional(),
  contact: z.unknown().optional(),
})
type Message = z.infer<typeof Message>

/** Only new messages are read: edited ones were answered when they were new. */
export const Update = z.object({ update_id: z.int().nonnegative(), message: Message.optional() })
export type Update = z.infer<typeof Update>

/** The requested kinds. Servers may still send others, such as those from before the request. */
export const allowedUpdates = ['message'] as const

/** Where an answer goes, as it is stored with the conversation. */
export const ReplyTo = z.object({ chat_id: z.int(), message_id: z.int() })

/** @returns null where there is nothing to answer: no message, one of a bot, or a service message such as "somebody joined" */
export function incomingOf({ message }: Update): IncomingMessage | null {
  if (!message || message.from?.is_bot) return null
  const content = contentOf(message)
  if (content === '') return null
  const { chat, message_id } = message
  return {
    externalId: String(chat.id),
    messageId: `${chat.id}:${message_id}`,
    content,
    senderName: senderNameOf(message),
    replyTo: { chat_id: chat.id, message_id } satisfies z.infer<typeof ReplyTo>,
  }
}

/** Text or caption, then a line for the attachment. */
function contentOf(message: Message): string {
  const text = (message.text ?? message.caption ?? '').slice(0, textLengthMax)
  const attachment = attachmentOf(message)
  if (attachment === null) return text
  return text === '' ? `[${attachment}]` : `${text}\n[${attachment}]`
}

/** A message has at most one. An animation is also sent as a document, so it is checked first. */
function attachmentOf(message: Message): string | null {
  const { photo, document, animation, video, audio, voice, sticker } = message
  if (photo && photo.length > 0) return 'photo'
  if (animation) return fileNamed('animation', animation)
  if (document) return fileNamed('document', document)
  if (video) return fileNamed('video', video)
  if (audio) return fileNamed('audio', audio)
  if (voice) return 'voice message'
  if (message.video_note !== undefined) return 'video message'
  if (sticker) return sticker.emoji ? `sticker ${sticker.emoji.slice(0, nameLengthMax)}` : 'sticker'
  if (message.location !== undefined) return 'location'
  if (message.contact !== undefined) return 'contact'
  return null
}

function fileNamed(kind: string, { file_name: name, mime_type: type }: z.infer<typeof File>): string {
  const named = name ? `${kind}: ${oneLine(name)}` : kind
  return type ? `${named} (${oneLine(type)})` : named
}

function senderNameOf({ from, chat }: Message): string | null {
  const name = [from?.first_name, from?.last_name].filter(Boolean).join(' ') || from?.username || chat.title
  return name ? oneLine(name) : null
}

/** Names come from strangers: they are cut, and have no line breaks. */
function oneLine(name: string): string {
  return name.replace(/\s+/g, ' ').slice(0, nameLengthMax).trim()
}
