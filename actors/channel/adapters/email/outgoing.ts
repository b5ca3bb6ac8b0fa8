/** Writes an answer as a mail: text and the same as HTML, in the thread of what it answers. */
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

/** @throws DeliveryFailed, for good, where there is nobody to write to or more to write than a mail holds */
export async function composeAnswer(delivery: OutgoingDelivery, from: string): Promise<OutgoingMail> {
  const thread = readThread(delivery.replyTo, delivery.externalId)
  if (!thread) throw new DeliveryFailed('the conversation names no address that mail can be sent to', { isFinal: true })
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
      // RFC 3834, 5: nobody's machine is to answer this. Exchange does not know it, but has a word of its own.
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

/** Paragraphs at blank lines, breaks at the others; nothing in the text is markup. */
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
