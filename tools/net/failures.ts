/** Network errors as failures for the model, without the address that a name resolved to. */
import { ToolFailed } from '../tool.ts'

const tlsCodes = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|EPROTO$|HOSTNAME_MISMATCH$)/

/** @returns the error itself where it is a defect of ours, such as an invalid request */
export function outgoingFailure(error: unknown, host: string): unknown {
  if (error instanceof ToolFailed) return error
  const { code, name } = error as { code?: unknown; name?: unknown }
  // undici's error of its parser has the parser's code only where that has one.
  if (name === 'HTTPParserError' || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH')
    return new ToolFailed('bad_response', `What ${host} answered is not HTTP.`, { cause: error })
  if (typeof code !== 'string' || code === 'UND_ERR_INVALID_ARG') return error
  const cause = { cause: error }
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return new ToolFailed(
      'headers_too_large',
      `The headers of the answer of ${host} are larger than is read here.`,
      cause,
    )
  if (tlsCodes.test(code))
    return new ToolFailed('tls_failed', `There is no trusted TLS connection to ${host} (${code}).`, cause)
  return new ToolFailed('unreachable', `The connection to ${host} failed (${code}).`, cause)
}
