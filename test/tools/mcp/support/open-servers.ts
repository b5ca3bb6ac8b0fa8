/** MCP servers under test: the real opener on real processes and sockets, and the few things that every test asks of it. */
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { openSettings } from '../../../../config/settings.ts'
import type { Resolve } from '../../../../runtime/network/judge.ts'
import { createResolver } from '../../../../runtime/network/resolver.ts'
import { type Clock, systemClock } from '../../../../runtime/time/clock.ts'
import type { ConversationId, TurnId, WorkspaceId } from '../../../../store/id.ts'
import { type McpLimits, mcpLimits } from '../../../../tools/mcp/limits.ts'
import { type McpTools, openMcpServers } from '../../../../tools/mcp/open.ts'
import type { PreparedCall, Tool, ToolContext } from '../../../../tools/tool.ts'
import { until } from '../../../support/gateway.ts'
import { type RecordedLine, recordingLog } from '../../../support/recording-log.ts'

export const scriptFile = (name: string) => fileURLToPath(new URL(`../servers/${name}`, import.meta.url))

/** The real bounds with pauses that a test can wait for. */
export const quickLimits: McpLimits = {
  ...mcpLimits,
  retryMinMs: 20,
  retryMaxMs: 200,
  refreshDelayMs: 20,
  closeGraceMs: 300,
}

export interface ServersUnderTest extends McpTools {
  lines: RecordedLine[]
  /** Resolves when the server is connected. */
  connected(name: string): Promise<void>
  /** Resolves when the tool is offered. */
  tool(name: string): Promise<Tool>
  /** Calls it as a turn would. */
  call(name: string, given?: unknown, signal?: AbortSignal): Promise<string>
}

const opened: McpTools[] = []

export function openServers(
  given: unknown,
  options: { limits?: Partial<McpLimits>; environment?: Record<string, string>; clock?: Clock; resolve?: Resolve } = {},
): ServersUnderTest {
  const { log, lines } = recordingLog()
  const settings = openSettings({
    environment: { SERVICE_MCP_SERVERS: JSON.stringify(given), ...options.environment },
    stored: new Map(),
  })
  const servers = openMcpServers(
    { settings, log, clock: options.clock ?? systemClock, resolve: options.resolve ?? createResolver() },
    { ...quickLimits, ...options.limits },
  )
  opened.push(servers)
  const find = (name: string) => servers.tools().find((tool) => tool.name === name)
  const state = (name: string) => servers.states().find((each) => each.name === name)

  async function tool(name: string): Promise<Tool> {
    await expect.poll(() => find(name)?.name, { interval: 5 }).toBe(name)
    return find(name) as Tool
  }

  return {
    ...servers,
    lines,
    tool,
    async connected(name) {
      await until(() => state(name)?.status === 'connected')
    },
    async call(name, args = {}, signal) {
      return prepared(await tool(name), args).run(contextOf(signal))
    },
  }
}

/** For afterEach. */
export async function closeServers(): Promise<void> {
  await Promise.all(opened.splice(0).map((servers) => servers.close()))
}

export function prepared(tool: Tool, given: unknown): PreparedCall {
  const call = tool.prepare(given)
  if ('problem' in call) throw new Error(call.problem)
  return call
}

export function contextOf(signal: AbortSignal = new AbortController().signal): ToolContext {
  const { log } = recordingLog()
  return {
    workspaceId: 'workspace' as WorkspaceId,
    turnId: 'turn' as TurnId,
    conversationId: 'conversation' as ConversationId,
    callKey: 'turn/1',
    signal,
    log,
    clock: systemClock,
    turn: {
      delegate: () => Promise.reject(new Error('no tool of a server delegates')),
      messageUser: () => Promise.reject(new Error('no tool of a server writes to the user')),
      reveal: () => [],
      result: () => Promise.resolve(undefined),
    },
  }
}
