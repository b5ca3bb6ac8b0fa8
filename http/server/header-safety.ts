/** Checks response headers: the library writes names and values unchecked, line breaks included. */
import { Failure } from '../../runtime/failure.ts'

class HeaderRefused extends Failure {
  readonly code = 'header_refused'
  constructor(header: string, found: string) {
    super(`the header ${JSON.stringify(header)} cannot be sent: ${found}`)
  }
}

const token = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/

/** @throws HeaderRefused for a line break or another character that no header may contain (RFC 9110, 5.5) */
export function checkHeader(name: string, value: string): void {
  for (let index = 0; index < value.length; index++) {
    const code = value.charCodeAt(index)
    if (code < 0x20 ? code !== 0x09 : code === 0x7f || code > 0xff) {
      throw new HeaderRefused(name, `its value holds the character U+${code.toString(16).padStart(4, '0')}`)
    }
  }
  if (!token.test(name)) throw new HeaderRefused(name, 'its name is not a token')
}
