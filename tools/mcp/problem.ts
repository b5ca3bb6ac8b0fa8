/** Why there is no connection to an MCP server: a code for programs, words for the operator, none of them a secret. */

export type McpProblemCode =
  | 'cannot_start'
  | 'unreachable'
  | 'ended'
  | 'session_lost'
  | 'message_too_large'
  | 'flood'
  | 'does_not_read'
  | 'not_mcp'
  | 'redirected'
  | 'public_address'

export class McpProblem extends Error {
  override readonly name = 'McpProblem'
  readonly code: McpProblemCode
  constructor(code: McpProblemCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** The system's short word for what went wrong, such as ECONNREFUSED; its own message may quote what was configured. */
export function systemCode(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const code: unknown = 'code' in at ? at.code : undefined
    if (typeof code === 'string') return code
  }
  return error instanceof Error ? error.name : 'unknown'
}
