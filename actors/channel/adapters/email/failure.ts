/** Failures of mail servers as texts that can be shown: one bounded line without passwords. */
import { Failure } from '../../../../runtime/failure.ts'
import { oneLine } from './address.ts'

const charactersMax = 500

export class MailServerFailed extends Failure {
  readonly code = 'mail_server_failed'
}

/** All forms of a password that the protocols send, for redaction. @see RFC 4616 for PLAIN */
export function secretForms(user: string | undefined, password: string | undefined): string[] {
  if (password === undefined) return []
  const encoded = [password, `\0${user ?? ''}\0${password}`].map((text) => Buffer.from(text).toString('base64'))
  return [password, ...encoded]
}

/**
 * The errors of the libraries have commands and responses, in which a server may repeat a password. So they are not passed
 * on as a cause, only their redacted text.
 */
export function failureIn(doing: string, error: unknown, secrets: readonly string[]): MailServerFailed {
  if (error instanceof MailServerFailed) return error
  const { message, responseText, response, originalCode, code } = error as Record<string, unknown>
  // A connection refused at several addresses has a code and no message.
  const parts = [message || originalCode || code, responseText ?? response]
  const texts = parts.filter((part) => typeof part === 'string' && part !== '').map(String)
  const [first = 'the connection ended', second = ''] = texts
  // The message of nodemailer contains the response already.
  let text = first.includes(second) ? first : `${first}: ${second}`
  // Where a name leads inside is nobody's business who may only name it.
  text = text.replace(/\b(E[A-Z]+) \S+:\d+/g, '$1')
  for (const secret of secrets) text = text.replaceAll(secret, '[redacted]')
  return new MailServerFailed(oneLine(`${doing}: ${text}`, charactersMax))
}
