/** Parses a mail of the mailbox, and decides whether it is a message to take, or is not answered. */
import { hash } from 'node:crypto'
import { type EmailAddress, type ParsedMail, simpleParser } from 'mailparser'
import type { IncomingMessage } from '../../adapter.ts'
import { oneLine, plainAddress } from './address.ts'
import { type HeaderLines, headerValues, whyAutomatic } from './automatic.ts'
import { writtenText } from './quoted.ts'
import { messageIdsIn, threadOf } from './thread.ts'

/** As much as POST /v1/inbound accepts. A note for the agent replaces the rest. */
const textCharactersMax = 100_000
/** The part of a mail that is searched for quoted history. */
const searchedCharactersMax = 500_000
/** HTML is parsed on the event loop, so only its beginning is read. */
const htmlCharactersMax = 131_072
const attachmentsNamedMax = 20
const subjectCharactersMax = 250

export type IncomingMail =
  | { kind: 'message'; message: IncomingMessage }
  /** It is from a machine, or empty. */
  | { kind: 'ignored'; why: string }
  /** An operator should look at it. */
  | { kind: 'refused'; why: string }

/** Only the text is needed: no links, no images, no generated HTML. */
const parsing = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  skipImageLinks: true,
  keepCidLinks: true,
}

/** @param ownAddresses in lower case */
export async function readMail(source: Buffer, ownAddresses: ReadonlySet<string>): Promise<IncomingMail> {
  let mail: ParsedMail
  try {
    mail = await simpleParser(source, parsing)
  } catch (error) {
    return { kind: 'refused', why: `it cannot be parsed: ${oneLine(String(error), 200)}` }
  }
  const sender = senderOf(mail)
  if (!sender) return { kind: 'refused', why: 'it has no sender, several, or one that cannot be answered' }
  const externalId = sender.address.toLowerCase()
  const why = whyAutomatic(mail.headerLines as HeaderLines, externalId, ownAddresses)
  if (why !== undefined) return { kind: 'ignored', why }
  const content = await contentOf(mail)
  if (content === '') return { kind: 'ignored', why: 'it is empty' }
  return { kind: 'message', message: messageOf(mail, source, externalId, sender, content) }
}

function messageOf(
  mail: ParsedMail,
  source: Buffer,
  externalId: string,
  sender: { address: string; name: string },
  content: string,
): IncomingMessage {
  const lines = mail.headerLines as HeaderLines
  const messageId = headerValues(lines, 'message-id').flatMap(messageIdsIn)[0]
  const references = [...headerValues(lines, 'references'), ...headerValues(lines, 'in-reply-to')].flatMap(messageIdsIn)
  const thread = threadOf({ ...sender, subject: mail.subject ?? '', messageId, references })
  return {
    externalId,
    // A mail without an id is identified by its content.
    messageId: messageId ?? `sha256:${hash('sha256', source, 'hex')}`,
    content,
    senderName: thread.name,
    replyTo: thread,
  }
}

/**
 * Only From: with Reply-To, whoever forges a sender would get the answers. Several senders are refused too, because
 * programs differ in which one they show.
 */
function senderOf(mail: ParsedMail): { address: string; name: string } | undefined {
  const senders: EmailAddress[] = mail.from?.value ?? []
  const fields = headerValues(mail.headerLines as HeaderLines, 'from').length
  const [sender] = senders
  if (senders.length !== 1 || fields !== 1 || !sender?.address) return undefined
  const address = plainAddress(sender.address)
  return address === undefined ? undefined : { address, name: sender.name }
}

async function contentOf(mail: ParsedMail): Promise<string> {
  const subject = oneLine(mail.subject ?? '', subjectCharactersMax)
  const plain = cleaned((mail.text ?? '').slice(0, searchedCharactersMax))
  const whole = plain.trim() === '' ? cleaned(await textOfHtml(mail.html)) : plain
  const written = shortened(writtenText(whole, subject))
  const parts = [written, ...attachmentLines(mail)].filter((part) => part !== '')
  return parts.length > 0 ? parts.join('\n') : subject
}

/** The parser converts HTML to text only if the whole mail is HTML, so it gets the HTML as a mail. */
async function textOfHtml(html: string | false | undefined): Promise<string> {
  if (!html) return ''
  const head = 'Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n'
  const beginning = html.slice(0, htmlCharactersMax)
  try {
    const { text } = await simpleParser(Buffer.from(head + beginning), { ...parsing, skipHtmlToText: false })
    return text ?? ''
  } catch {
    // Nested too deeply for the parser: the tags are removed. Linear, because a match cannot contain another tag's beginning.
    return beginning.replace(/<[^<>]*>/g, ' ').replace(/[^\S\n]+/g, ' ')
  }
}

/** Without NUL, which PostgreSQL does not store; lines end with \n. */
function cleaned(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, '\n').replaceAll('\0', '').replaceAll('\u00a0', ' ')
}

function shortened(text: string): string {
  if (text.length <= textCharactersMax) return text
  return `${text.slice(0, textCharactersMax).toWellFormed()}\n[the rest of the mail was cut off]`
}

function attachmentLines(mail: ParsedMail): string[] {
  const { attachments } = mail
  const lines = attachments.slice(0, attachmentsNamedMax).map((attachment) => {
    const name = oneLine(attachment.filename ?? '', 255) || 'file'
    return `[attachment] ${name} (${oneLine(attachment.contentType, 100)}, ${shownSize(attachment.size)})`
  })
  const more = attachments.length - lines.length
  return more > 0 ? [...lines, `[attachment] ${more} more`] : lines
}

function shownSize(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`
  if (bytes < 1_048_576) return `${Math.round(bytes / 1_024)} KiB`
  return `${(bytes / 1_048_576).toFixed(1)} MiB`
}
