/** Why there is no connection to an MCP server: a code for programs, a message for the operator, no secret in either. */
import { Failure } from '../../runtime/failure.ts'

export type McpFailureCode =
  | 'cannot_start'
  | 'unreachable'
  | 'ended'
  | 'session_lost'
  | 'message_too_large'
  | 'flood'
  | 'does_not_read'
  | 'not_mcp'
  | 'redirected'
  | 'refused_address'
  | 'refused_host'

export class McpConnectionFailed extends Failure {
  readonly code: McpFailureCode
  constructor(code: McpFailureCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** The system's error code, such as ECONNREFUSED; its message may quote what was configured. */
export function systemCode(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const code: unknown = 'code' in at ? at.code : undefined
    if (typeof code === 'string') return code
  }
  return error instanceof Error ? error.name : 'unknown'
}
