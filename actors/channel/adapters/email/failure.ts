/** What went wrong with a mail server, as a text that can be shown: without passwords, one line, bounded. */
import { Failure } from '../../../../runtime/failure.ts'
import { oneLine } from './address.ts'

const charactersMax = 500

export class MailServerFailed extends Failure {
  readonly code = 'mail_server_failed'
}

/** A password in all forms that protocols send: none of them may be shown. @see RFC 4616 for PLAIN */
export function secretForms(user: string | undefined, password: string | undefined): string[] {
  if (password === undefined) return []
  const encoded = [password, `\0${user ?? ''}\0${password}`].map((text) => Buffer.from(text).toString('base64'))
  return [password, ...encoded]
}

/**
 * The libraries' own errors carry commands, answers and parsed responses, in which a server may repeat a password. So
 * none of them is passed on as a cause, only their text.
 */
export function failureIn(doing: string, error: unknown, secrets: readonly string[]): MailServerFailed {
  if (error instanceof MailServerFailed) return error
  const { message, responseText, response, originalCode, code } = error as Record<string, unknown>
  // A connection refused at several addresses has a code and no message.
  const parts = [message || originalCode || code, responseText ?? response]
  const texts = parts.filter((part) => typeof part === 'string' && part !== '').map(String)
  const [first = 'the connection ended', second = ''] = texts
  // nodemailer repeats the answer in the message already.
  let text = first.includes(second) ? first : `${first}: ${second}`
  for (const secret of secrets) text = text.replaceAll(secret, '[redacted]')
  return new MailServerFailed(oneLine(`${doing}: ${text}`, charactersMax))
}
