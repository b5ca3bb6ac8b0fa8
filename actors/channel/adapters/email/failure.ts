/** What went wrong with a mail server, in words that can be shown: passwords taken out, one line, bounded. */
import { oneLine } from './address.ts'

const charactersMax = 500

export class MailServerFailed extends Error {
  override readonly name = 'MailServerFailed'
  readonly code: string | undefined
  constructor(message: string, code?: string) {
    super(message)
    this.code = code
  }
}

/** A password as protocols write it: nothing of this may be shown. @see RFC 4616 for what PLAIN sends */
export function secretForms(user: string | undefined, password: string | undefined): string[] {
  if (password === undefined) return []
  const encoded = [password, `\0${user ?? ''}\0${password}`].map((text) => Buffer.from(text).toString('base64'))
  return [password, ...encoded]
}

/**
 * The libraries' own errors carry commands, answers and parsed responses; a server may repeat in them what it was told.
 * So none of them is passed on, and of what they say only the text.
 */
export function failureIn(doing: string, error: unknown, secrets: readonly string[]): MailServerFailed {
  if (error instanceof MailServerFailed) return error
  const { message, responseText, response, originalCode, code } = error as Record<string, unknown>
  const said = [message, responseText ?? response].filter((part) => typeof part === 'string' && part !== '').map(String)
  const [first = 'the connection ended', second = ''] = said
  // nodemailer repeats the answer in the message already.
  let text = first.includes(second) ? first : `${first}: ${second}`
  for (const secret of secrets) text = text.replaceAll(secret, '[redacted]')
  const shownCode = [originalCode, code].find((one) => typeof one === 'string')
  return new MailServerFailed(oneLine(`${doing}: ${text}`, charactersMax), shownCode as string | undefined)
}
