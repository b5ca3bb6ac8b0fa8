/** Every tool there is: one line each. */
import { calculator } from './calculator.ts'
import { codeExec } from './code-exec.ts'
import { dbQuery } from './db-query.ts'
import { delegate } from './delegate.ts'
import { filesystemList } from './filesystem-list.ts'
import { filesystemRead } from './filesystem-read.ts'
import { filesystemWrite } from './filesystem-write.ts'
import { httpRequest } from './http-request.ts'
import type { McpTools } from './mcp/open.ts'
import type { McpServerState } from './mcp/server.ts'
import { messageUser } from './message-user.ts'
import { readResult } from './read-result.ts'
import { timeNow } from './time-now.ts'
import type { OutgoingToolDependencies, Tool, ToolMaker } from './tool.ts'
import { toolSearch } from './tool-search.ts'
import { webFetch } from './web-fetch.ts'

const makers: readonly ToolMaker[] = [
  httpRequest,
  webFetch,
  filesystemRead,
  filesystemList,
  filesystemWrite,
  dbQuery,
  codeExec,
  timeNow,
  calculator,
  delegate,
  toolSearch,
  messageUser,
  readResult,
]

export interface Toolbox {
  /** The tools that the settings switch on, and those that external servers offer now. */
  all(): readonly Tool[]
  /** The state of each external server, under the name that it has in the settings; without secrets. */
  servers(): McpServerState[]
  close(): Promise<void>
}

export async function openToolbox(dependencies: OutgoingToolDependencies): Promise<Toolbox> {
  const ownTools = makers.flatMap((make) => make(dependencies) ?? [])
  const servers = await openServers(dependencies)
  return {
    all: () => [...ownTools, ...servers.tools()],
    servers: () => servers.states(),
    async close() {
      await Promise.all([servers.close(), ...ownTools.map((tool) => tool.close?.())])
    },
  }
}

const noServers: McpTools = { tools: () => [], states: () => [], async close() {} }

/** The protocol's library is loaded only where there are servers: it takes a fifth of a second and some 20 MB. */
async function openServers(dependencies: OutgoingToolDependencies): Promise<McpTools> {
  const servers = dependencies.settings.get('SERVICE_MCP_SERVERS')
  if (Object.keys(servers).length === 0) return noServers
  const { openMcpServers } = await import('./mcp/open.ts')
  return openMcpServers(dependencies)
}
