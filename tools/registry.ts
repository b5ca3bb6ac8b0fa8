/** Every tool there is: one line each. */
import { calculator } from './calculator.ts'
import { describeSandboxes } from './code/describe.ts'
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
import type { Tool, ToolDependencies, ToolMaker } from './tool.ts'
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
  /** What the settings switch on, and what external servers offer now. */
  all(): readonly Tool[]
  /** How the external servers are, each as its entry in the settings is named; nothing secret in it. */
  servers(): McpServerState[]
  close(): Promise<void>
}

/** External servers connect in the background: their tools are missed only after a first try of theirs may take no longer. */
const serversSettleMs = 90_000

export async function openToolbox(dependencies: ToolDependencies): Promise<Toolbox> {
  const own = makers.flatMap((make) => make(dependencies) ?? [])
  const servers = await openServers(dependencies)
  const all = () => [...own, ...servers.tools()]
  const stopLooking = tellUnknownNames(dependencies, servers, all)
  const looked = tellWeakSandbox(dependencies)
  return {
    all,
    servers: () => servers.states(),
    async close() {
      stopLooking()
      await Promise.all([looked, servers.close(), ...own.map((tool) => tool.close?.())])
    },
  }
}

const noServers: McpTools = { tools: () => [], states: () => [], async close() {} }

/** The protocol's library is loaded for those who have servers: it costs a fifth of a second and some 20 MB. */
async function openServers(dependencies: ToolDependencies): Promise<McpTools> {
  const described = dependencies.settings.get('SERVICE_MCP_SERVERS')
  if (Object.keys(described).length === 0) return noServers
  const { openMcpServers } = await import('./mcp/open.ts')
  return openMcpServers(dependencies)
}

/** A misspelt name holds nothing back, and nobody would notice. Once: at the start, or when servers had their time. */
function tellUnknownNames(
  { settings, log, clock }: ToolDependencies,
  servers: McpTools,
  all: () => Tool[],
): () => void {
  function tell(): void {
    for (const setting of ['SERVICE_APPROVAL_TOOLS', 'SERVICE_TOOL_SEARCH_CORE'] as const) {
      const names = settings.get(setting).filter((name) => !all().some((tool) => isNamed(tool.name, name)))
      if (names.length > 0) log.warn({ setting, names }, 'a setting names what is no tool here: misspelt, off or away')
    }
  }
  if (servers.states().length > 0) {
    const timer = clock.after(serversSettleMs, tell)
    return () => timer.cancel()
  }
  tell()
  return () => undefined
}

/** `name*` stands for every name that begins so, as it does for agents. */
function isNamed(tool: string, name: string): boolean {
  return name.endsWith('*') ? tool.startsWith(name.slice(0, -1)) : tool === name
}

/** Bounded: what it probes has ten seconds. */
async function tellWeakSandbox({ settings, log }: ToolDependencies): Promise<void> {
  try {
    const { sandboxes } = await describeSandboxes(settings)
    for (const { name: sandbox, languages, notContained } of sandboxes.filter(({ strength }) => strength === 'weak'))
      log.warn({ sandbox, languages, notContained }, 'code of agents runs in something weaker than a sandbox')
  } catch (error) {
    log.warn({ err: error }, 'what contains the code of agents could not be found out')
  }
}
