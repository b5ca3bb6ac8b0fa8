/** What an answer needs from the mail that it answers to be in the same thread. Stored as the `reply_to` of the conversation. */
import { z } from 'zod'
import { oneLine, plainAddress } from './address.ts'

const subjectCharactersMax = 250
const nameCharactersMax = 255
const idCharactersMax = 250
/** The first and the newest, which mail programs use; bounded by the length of a header. */
const referencesMax = 20

const messageIdShape = /^<[\x21-\x3b\x3d\x3f-\x7e]+>$/

export interface Thread {
  address: string
  name: string | null
  subject: string | null
  message_id: string | null
  references: string[]
}

/** The message ids in a header's value, only those that are valid in our headers. */
export function messageIdsIn(value: string): string[] {
  return (value.match(/<[^<>\s]{1,248}>/g) ?? []).filter(
    (id) => id.length <= idCharactersMax && messageIdShape.test(id),
  )
}

export function threadOf(mail: {
  address: string
  name: string
  subject: string
  messageId: string | undefined
  references: readonly string[]
}): Thread {
  return {
    address: mail.address,
    name: oneLine(mail.name, nameCharactersMax) || null,
    subject: oneLine(mail.subject, subjectCharactersMax) || null,
    message_id: mail.messageId ?? null,
    references: bounded(mail.references),
  }
}

const text = z.string().nullish().catch(null)

const ReplyTo = z.object({
  address: z.string(),
  name: text,
  subject: text,
  message_id: text,
  references: z.array(z.string()).catch([]),
})

/**
 * @param replyTo a thread; an address; a thread as JSON text, because POST /v1/inbound accepts no objects; null: the sender's address is used
 * @returns undefined where there is no valid address
 */
export function readThread(replyTo: unknown, externalId: string): Thread | undefined {
  const parsed = ReplyTo.safeParse(asObject(replyTo ?? externalId))
  const address = parsed.success ? plainAddress(parsed.data.address.trim()) : undefined
  if (!parsed.success || address === undefined) return undefined
  const { name, subject, message_id: messageId, references } = parsed.data
  return threadOf({
    address,
    name: name ?? '',
    subject: subject ?? '',
    messageId: messageIdsIn(messageId ?? '')[0],
    references: references.flatMap(messageIdsIn),
  })
}

function asObject(replyTo: unknown): unknown {
  if (typeof replyTo !== 'string') return replyTo
  if (!replyTo.trimStart().startsWith('{')) return { address: replyTo }
  try {
    return JSON.parse(replyTo)
  } catch {
    return undefined
  }
}

/** @see RFC 5322, 3.6.4: the references of the mail that is answered, and then that mail */
export function answerHeaders(thread: Thread): { subject: string; inReplyTo?: string; references?: string[] } {
  const subject = answerSubject(thread.subject)
  if (thread.message_id === null) return { subject }
  const references = thread.references.filter((id) => id !== thread.message_id)
  return { subject, inReplyTo: thread.message_id, references: bounded([...references, thread.message_id]) }
}

/** Prefixes of other languages stay: mail programs know them. */
function answerSubject(subject: string | null): string {
  if (subject === null) return 'Re: your message'
  return /^(?:re|aw|antw|sv|vs|odp|rif|ref)\s?(?:\[\d+\])?:/i.test(subject) ? subject : `Re: ${subject}`
}

function bounded(references: readonly string[]): string[] {
  const unique = [...new Set(references)]
  return unique.length <= referencesMax ? unique : [...unique.slice(0, 1), ...unique.slice(1 - referencesMax)]
}
