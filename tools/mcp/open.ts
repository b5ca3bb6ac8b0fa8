/** External MCP servers of SERVICE_MCP_SERVERS, whose tools join the agent's. A server that is away costs its tools and nothing else. */
import { openOutgoing } from '../../runtime/network/outgoing.ts'
import type { OutgoingToolDependencies, Tool } from '../tool.ts'
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
export function openMcpServers(dependencies: OutgoingToolDependencies, limits: McpLimits = mcpLimits): McpTools {
  const { settings, log, clock, resolve } = dependencies
  const { servers: descriptions, refused } = parseServerDescriptions(
    settings.get('SERVICE_MCP_SERVERS'),
    limits.serversMax,
  )
  for (const { name, why } of refused) log.warn({ mcpServer: name, why }, 'an entry of SERVICE_MCP_SERVERS is left out')
  const outgoing = openOutgoing({ settings, log, resolve })
  let joined: readonly Tool[] | undefined
  const onChange = () => {
    joined = undefined
  }
  const servers = descriptions.map((each) => new McpServer(each, { log, clock, limits, outgoing, onChange }))
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
