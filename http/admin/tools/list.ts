/** `GET /v1/admin/tools`: the tools that agents can be allowed to call, and the state of MCP servers. */
import { z } from 'zod'
import { grantedTools } from '../../../actors/agent/tools/granted-tools.ts'
import { matchesAny } from '../../../actors/agent/tools/toolset.ts'
import { defaultWorkspace } from '../../../store/default-workspace.ts'
import type { McpServerState } from '../../../tools/mcp/server.ts'
import type { Tool } from '../../../tools/tool.ts'
import { admin } from '../../access.ts'
import { route } from '../../route.ts'

const ToolView = z.object({
  name: z.string(),
  description: z.string().describe('As the model gets it.'),
  risk: z
    .enum(['read', 'write', 'host'])
    .describe('read: changes nothing. write: changes something outside. host: runs code.'),
  idempotency: z.enum(['repeatable', 'once']).describe('Whether a call that a crash interrupted is repeated.'),
  timeout_ms: z.int(),
  is_untrusted: z.boolean().describe('Strangers may have written what it returns.'),
  needs_approval: z.boolean().describe('By SERVICE_APPROVAL_TOOLS; an agent may require it for more tools.'),
})

const McpServerView = z.object({
  name: z.string(),
  transport: z.enum(['stdio', 'http']),
  status: z.enum(['connecting', 'connected', 'waiting', 'closed']),
  connected_since: z.iso.datetime().nullable(),
  tools: z.array(z.string()),
  last_error: z.string().nullable().describe('The last error of its connection or its list of tools.'),
})

export const listTools = route({
  method: 'GET',
  path: '/v1/admin/tools',
  summary: 'List tools and MCP servers',
  description: 'Those that this workspace may use: the default one all, another one what is granted to it.',
  tag: 'tools',
  access: admin('agents.read'),
  answers: { 200: z.object({ items: z.array(ToolView), mcp_servers: z.array(McpServerView) }) },
  handle({ app, principal }) {
    const granted = grantedTools(app.services, principal.workspaceId)
    const names = new Set(granted.map(({ name }) => name))
    const isInstallation = principal.workspaceId === defaultWorkspace(app)
    const approvalTools = app.settings.get('SERVICE_APPROVAL_TOOLS')
    return {
      items: granted.map((tool) => toolView(tool, approvalTools)),
      mcp_servers: app.services.tools
        .servers()
        .map((server) => (isInstallation ? server : ofGranted(server, names)))
        .filter(({ tools }) => isInstallation || tools.length > 0)
        .map(serverView),
    }
  },
})

/** What another workspace may know of a server of the installation. */
const ofGranted = (server: McpServerState, granted: ReadonlySet<string>): McpServerState => ({
  ...server,
  tools: server.tools.filter((name) => granted.has(name)),
  lastError: null,
})

function toolView(tool: Tool, approvalTools: readonly string[]): z.infer<typeof ToolView> {
  const { name, description, risk, idempotency, timeoutMs, isUntrusted } = tool
  return {
    name,
    description,
    risk,
    idempotency,
    timeout_ms: timeoutMs,
    is_untrusted: isUntrusted,
    needs_approval: matchesAny(name, approvalTools),
  }
}

function serverView({ connectedSince, lastError, ...server }: McpServerState): z.infer<typeof McpServerView> {
  const { name, transport, status, tools } = server
  return {
    name,
    transport,
    status,
    tools: [...tools],
    connected_since: connectedSince?.toISOString() ?? null,
    last_error: lastError,
  }
}
