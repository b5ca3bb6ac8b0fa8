/** External MCP servers of SERVICE_MCP_SERVERS, whose tools join the agent's. A server that is away costs its tools and nothing else. */
import type { Tool, ToolDependencies } from '../tool.ts'
import { type McpLimits, mcpLimits } from './limits.ts'
import { McpServer, type McpServerState } from './server.ts'
import { parseServerDescriptions } from './server-description.ts'

export interface McpTools {
  /** Those of the servers that are connected now. The same array until something changes. */
  tools(): readonly Tool[]
  states(): McpServerState[]
  /** Ends every session and process. Calls under way fail. */
  close(): Promise<void>
}

/** Returns at once; the servers are connected in the background, and again whenever they are lost. */
export function openMcpServers(dependencies: ToolDependencies, limits: McpLimits = mcpLimits): McpTools {
  const { settings, log, clock } = dependencies
  const { servers: descriptions, refused } = parseServerDescriptions(
    settings.get('SERVICE_MCP_SERVERS'),
    limits.serversMax,
  )
  for (const { name, why } of refused) log.warn({ mcpServer: name, why }, 'an entry of SERVICE_MCP_SERVERS is left out')
  const isAirgapped = settings.get('SERVICE_AIRGAPPED')
  let joined: readonly Tool[] | undefined
  const onChange = () => {
    joined = undefined
  }
  const servers = descriptions.map((each) => new McpServer(each, { log, clock, limits, isAirgapped, onChange }))
  return {
    tools() {
      joined ??= servers.flatMap((server) => server.tools)
      return joined
    },
    states: () => servers.map((server) => server.state),
    async close() {
      await Promise.all(servers.map((server) => server.close()))
    },
  }
}
