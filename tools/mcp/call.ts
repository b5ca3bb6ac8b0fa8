/** Calls of one server's tools: limited in number, cancelled with the turn and with the connection, secrets removed from results. */
import { type ToolContext, ToolFailed } from '../tool.ts'
import type { Connection } from './connection.ts'
import { callFailure, notConnected, tooBusy } from './failure.ts'
import type { McpLimits } from './limits.ts'
import type { ListedTool } from './listed-tool.ts'
import { resultText, truncated } from './result.ts'
import type { Redaction } from './secrets.ts'

export type Call = (tool: ListedTool, args: Record<string, unknown>, context: ToolContext) => Promise<string>

interface CallDependencies {
  /** The server's name, for the model. */
  server: string
  limits: McpLimits
  redaction: Redaction
  /** The current one: a tool that was listed on an earlier connection is called on the next. */
  connection(): Connection | undefined
}

export function toolCaller({ server, limits, redaction, connection }: CallDependencies): Call {
  let callsUnderWay = 0

  async function answered(called: Connection, ...[tool, args, context]: Parameters<Call>): Promise<string> {
    try {
      const result = await called.call(tool.tool, args, context.signal)
      const text = truncated(redaction.result(resultText(result)), limits.resultLengthMax)
      if (result.isError) throw new ToolFailed('mcp_tool_error', text)
      return text
    } catch (error) {
      if (error instanceof ToolFailed) throw error
      const isCancelled = context.signal.aborted
      throw callFailure(error, { server, isCancelled, isGone: called.gone.aborted, redact: redaction.record })
    }
  }

  return async (tool, args, context) => {
    const called = connection()
    if (!called || called.gone.aborted) throw notConnected(server)
    if (callsUnderWay >= limits.callsMax) throw tooBusy(server, limits.callsMax)
    callsUnderWay++
    try {
      return await answered(called, tool, args, context)
    } finally {
      callsUnderWay--
    }
  }
}
