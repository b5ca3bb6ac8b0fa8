/** Tools of ours that reach nothing of the installation, so that every workspace has them. Those of MCP servers all need a grant. */
export const grantlessTools: readonly string[] = [
  'calculator',
  'delegate',
  'message_user',
  'read_result',
  'time_now',
  'tool_search',
]
