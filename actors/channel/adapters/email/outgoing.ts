/** Writes an answer as a mail, as text and HTML, in the thread of the mail that it answers. */
import MailComposer from 'nodemailer/lib/mail-composer'
import { DeliveryFailed, type OutgoingDelivery } from '../../adapter.ts'
import { domainOf } from './address.ts'
import { answerHeaders, readThread } from './thread.ts'

const textCharactersMax = 1_000_000

export interface OutgoingMail {
  from: string
  to: string
  raw: Buffer
}

/** @throws DeliveryFailed, final, where there is no address or the answer is too long */
export async function composeAnswer(delivery: OutgoingDelivery, from: string): Promise<OutgoingMail> {
  const thread = readThread(delivery.replyTo, delivery.externalId)
  if (!thread) throw new DeliveryFailed('the conversation has no address that mail can be sent to', { isFinal: true })
  if (delivery.text.length > textCharactersMax)
    throw new DeliveryFailed(`the answer is longer than ${textCharactersMax} characters`, { isFinal: true })
  const { address, name } = thread
  const text = delivery.text.toWellFormed()
  const composer = new MailComposer({
    from,
    to: { name: name ?? '', address },
    ...answerHeaders(thread),
    messageId: `<${delivery.id}@${domainOf(from)}>`,
    date: delivery.createdAt,
    headers: {
      // RFC 3834, 5: asks machines not to answer. Exchange ignores it, but has its own header.
      'Auto-Submitted': 'auto-replied',
      'X-Auto-Response-Suppress': 'All',
    },
    text,
    html: htmlOf(text),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return { from, to: address, raw: await composer.compile().build() }
}

/** Paragraphs at blank lines, breaks at other line ends. The text is escaped. */
export function htmlOf(text: string): string {
  const paragraphs = text
    .replace(/\r\n?/g, '\n')
    .split(/\n[ \t]*\n\s*/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => `<p>${escaped(paragraph).replaceAll('\n', '<br>\n')}</p>`)
  return `<!DOCTYPE html>\n<html><body>\n${paragraphs.join('\n')}\n</body></html>\n`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}
