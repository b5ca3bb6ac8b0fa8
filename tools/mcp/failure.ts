/** Why a call failed, for the model, and why a connection did, for the operator. Neither text contains a secret. */
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { ToolFailed } from '../tool.ts'
import { McpConnectionFailed, systemCode } from './connection-failed.ts'

/** Of text that a server wrote. */
const wordsLengthMax = 2_000

export function notConnected(server: string): ToolFailed {
  return new ToolFailed('mcp_unavailable', `the server ${server} is not connected now; it is retried automatically`)
}

export function tooBusy(server: string, callsMax: number): ToolFailed {
  return new ToolFailed('mcp_busy', `${callsMax} calls to the server ${server} are under way; try again later`)
}

interface Circumstances {
  server: string
  isCancelled: boolean
  isGone: boolean
  redact(words: string): string
}

/**
 * The failure to throw in place of `error`, which is not passed on as the cause: a server's errors may repeat secrets that we
 * sent, and only the message here is redacted.
 */
export function callFailure(error: unknown, { server, isCancelled, isGone, redact }: Circumstances): ToolFailed {
  const unknown = 'whether the call took effect is not known'
  if (isCancelled) return new ToolFailed('cancelled', `the call was ended before it was answered; ${unknown}`)
  if (isGone) return new ToolFailed('mcp_unavailable', `the server ${server} went away during the call; ${unknown}`)
  if (error instanceof McpError && error.code === ErrorCode.RequestTimeout)
    return new ToolFailed('mcp_timeout', `the server ${server} did not answer in time; ${unknown}`)
  if (error instanceof McpError)
    return new ToolFailed('mcp_refused', redact(`the server ${server} refused the call: ${short(error.message)}`))
  if (error instanceof z.core.$ZodError)
    return new ToolFailed(
      'mcp_bad_answer',
      `the server ${server} sent an answer that is not a result of a tool; ${unknown}`,
    )
  return new ToolFailed(
    'mcp_unavailable',
    `the server ${server} could not be called: ${connectionFailureText(error, redact)}`,
  )
}

/** Why there is no connection: one line for the log and the admin API. */
export function connectionFailureText(error: unknown, redact: (words: string) => string): string {
  if (error instanceof McpConnectionFailed) return redact(error.message)
  if (error instanceof McpError && error.code === ErrorCode.RequestTimeout) return 'it did not answer in time'
  if (error instanceof StreamableHTTPError) return httpWords(error, redact)
  if (error instanceof z.core.$ZodError) return 'its answer is not what the protocol asks for'
  if (error instanceof McpError) return redact(short(error.message))
  return `it failed unexpectedly (${systemCode(error)})`
}

/** An HTML page in place of an answer is not shown; the target of a redirect is. */
function httpWords(error: StreamableHTTPError, redact: (words: string) => string): string {
  if (error.code === -1) return 'its answer is neither JSON nor a stream of events'
  const hint = error.code === 401 || error.code === 403 ? ': the credentials in its headers are missing or refused' : ''
  const redirect = /Redirect to \S+ not followed/.exec(error.message)?.[0] ?? ''
  return redact(`it answered with status ${error.code}${hint}${redirect === '' ? '' : `: ${short(redirect)}`}`)
}

function short(words: string): string {
  return words.slice(0, wordsLengthMax).toWellFormed()
}
