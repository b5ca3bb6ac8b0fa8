/**
 * One connection to one server, from its start to its end. The SDK's own tool methods are not used: they compile the
 * server's schemas and run the server's regular expressions over its answers, on the main thread.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { McpConnectionFailed } from './connection-failed.ts'
import { openHttpLink } from './http-link.ts'
import type { Link, LinkDependencies } from './link.ts'
import { type ListedTool, listedTool, ToolPage } from './listed-tool.ts'
import { withRequestSignal } from './request-signal.ts'
import { CallResult } from './result.ts'
import type { ServerDescription } from './server-description.ts'
import { openStdioLink } from './stdio-link.ts'

export interface ToolList {
  tools: ListedTool[]
  /** Why some are not offered; a sentence each. */
  leftOut: string[]
}

export interface Connection {
  /** Aborts, with an McpProblem, when the connection is over. */
  readonly gone: AbortSignal
  list(): Promise<ToolList>
  /** @throws whatever the SDK throws; when the connection is gone, `gone.reason` says why */
  call(tool: string, args: Record<string, unknown>, signal: AbortSignal): Promise<CallResult>
  /** Resolves when nothing is left of it. Never rejects. */
  end(): Promise<void>
}

interface ConnectionDependencies extends Omit<LinkDependencies, 'onBroken'> {
  onToolsChanged(): void
}

/** How we identify ourselves; the version is of this client, not of the service. */
const clientInfo = { name: 'agent-platform-service', version: '1' }

/** @throws the reason why there is none; nothing is left of the attempt then */
export async function connect(
  server: ServerDescription,
  dependencies: ConnectionDependencies,
  signal: AbortSignal,
): Promise<Connection> {
  const { limits } = dependencies
  const gone = new AbortController()
  let brokenBy: McpConnectionFailed | undefined
  const linkDependencies: LinkDependencies = {
    ...dependencies,
    onBroken(problem) {
      brokenBy = problem
      gone.abort(problem)
    },
  }
  const link: Link =
    server.kind === 'stdio' ? openStdioLink(server, linkDependencies) : openHttpLink(server, linkDependencies)
  // No capability is declared: a server that asks for sampling, elicitation or roots gets "no such method".
  const client = new Client(clientInfo, { capabilities: {} })
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => dependencies.onToolsChanged())
  client.onclose = () => gone.abort(new McpConnectionFailed('ended', 'the connection was closed'))

  async function end(): Promise<void> {
    gone.abort(new McpConnectionFailed('ended', 'the connection was closed'))
    await link.end()
  }

  try {
    await withRequestSignal([signal, gone.signal], (own) =>
      client.connect(link.transport, { signal: own, timeout: limits.connectMs }),
    )
  } catch (error) {
    // Read before `end`, which aborts too. "Connection closed" says less than how the process ended.
    const reason = brokenBy ?? error
    await end()
    throw reason
  }

  return {
    gone: gone.signal,
    list: () => listTools(client, server.label, dependencies, gone.signal),
    call(tool, args, callSignal) {
      const request = { method: 'tools/call' as const, params: { name: tool, arguments: args } }
      return withRequestSignal([callSignal, gone.signal], (own) =>
        client.request(request, CallResult, { signal: own, timeout: limits.callMs }),
      )
    },
    end,
  }
}

async function listTools(
  client: Client,
  label: string,
  { limits }: ConnectionDependencies,
  gone: AbortSignal,
): Promise<ToolList> {
  const tools = new Map<string, ListedTool>()
  const leftOut: string[] = []
  let cursor: string | undefined
  let entries = 0
  if (!client.getServerCapabilities()?.tools) return { tools: [], leftOut }
  for (let page = 0; page < limits.listPagesMax; page++) {
    const request = { method: 'tools/list' as const, params: cursor === undefined ? {} : { cursor } }
    const answer = await withRequestSignal([gone], (own) =>
      client.request(request, ToolPage, { signal: own, timeout: limits.listMs }),
    )
    for (const entry of answer.tools) {
      if (++entries > limits.listEntriesMax) {
        leftOut.push(`its list has more than ${limits.listEntriesMax} entries`)
        return { tools: [...tools.values()], leftOut }
      }
      if (tools.size >= limits.toolsMax) {
        leftOut.push(`it has more than ${limits.toolsMax} tools`)
        return { tools: [...tools.values()], leftOut }
      }
      const tool = listedTool(entry, label, limits)
      if (typeof tool === 'string') leftOut.push(tool)
      else if (tools.has(tool.name)) leftOut.push('it lists a tool of this name twice')
      else tools.set(tool.name, tool)
    }
    cursor = answer.nextCursor
    if (cursor === undefined) break
  }
  if (cursor !== undefined) leftOut.push(`its list has more than ${limits.listPagesMax} pages`)
  return { tools: [...tools.values()], leftOut }
}
