/** Network errors as failures for the model, without the address that a name resolved to. */
import { isIP } from 'node:net'
import { OutgoingRefused } from '../../runtime/network/judge.ts'
import { ToolFailed } from '../tool.ts'

const tlsCodes = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|EPROTO$|HOSTNAME_MISMATCH$)/

const trustCodes = /^(ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH$)/

/**
 * Of an internal host only that the connection failed: by more, the ports of that host could be told apart.
 * @returns the error itself where it is a defect of ours, such as an invalid request
 */
export function outgoingFailure(error: unknown, host: string, isInternal: boolean): unknown {
  if (error instanceof ToolFailed) return error
  if (error instanceof OutgoingRefused) return refusal(error, host)
  const { code, name } = error as { code?: unknown; name?: unknown }
  const isOfConnection = name === 'HTTPParserError' || (typeof code === 'string' && !trustCodes.test(code))
  if (isInternal && isOfConnection && code !== 'UND_ERR_INVALID_ARG')
    return new ToolFailed('unreachable', `The connection to ${host} failed.`, { cause: error })
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

/** The same of a name that is unknown and of one that leads inside: else anybody could learn the names of the internal network. */
function refusal(error: OutgoingRefused, host: string): ToolFailed {
  const isOfName = isIP(host) === 0 && (error.code === 'name_not_found' || error.code === 'refused_address')
  if (!isOfName) return new ToolFailed(error.code, error.message, { cause: error })
  const message = `${host} was not found, or its address is not one that may be called from here.`
  return new ToolFailed('refused_address', message, { cause: error })
}
