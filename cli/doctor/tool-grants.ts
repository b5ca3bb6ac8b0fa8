/** Which agents list tools that their workspace is not granted: they run without these, and nobody is told. */
import type { Settings } from '../../config/settings.ts'
import { commandName } from '../../runtime/command-name.ts'
import type { ToolListing } from '../../store/agents.ts'
import { defaultWorkspace } from '../../store/default-workspace.ts'
import type { ToolGrants } from '../../store/workspaces.ts'
import { grantlessTools } from '../../tools/grantless.ts'
import { type Finding, ok, warning } from './finding.ts'

/** Of the workspaces with a finding each, and of the agents in one. */
const namedMax = 20

const check = 'tools of agents'

/** @param listings of agents of all workspaces @param grants of all workspaces */
export function checkToolGrants(
  settings: Settings,
  { listings, grants }: { listings: readonly ToolListing[]; grants: readonly ToolGrants[] },
): Finding[] {
  const home = defaultWorkspace({ settings })
  const others = grants.filter(({ id }) => id !== home)
  const found = others.flatMap((workspace) => {
    const agents = listings
      .filter(({ workspaceId }) => workspaceId === workspace.id)
      .map(({ name, tools }) => ({ name, missing: tools.filter((tool) => isMissing(tool, workspace.tools)) }))
      .filter(({ missing }) => missing.length > 0)
    return agents.length > 0 ? [findingOf(workspace, agents)] : []
  })
  if (found.length > namedMax) {
    const more = `${found.length - namedMax} more workspaces have agents with tools that are not granted`
    return [...found.slice(0, namedMax), warning(check, more, `What each has: ${commandName()} tools grants`)]
  }
  const isAnyListed = others.some(({ id }) => listings.some(({ workspaceId }) => workspaceId === id))
  return found.length === 0 && isAnyListed ? [ok(check, 'what they list is granted to their workspaces')] : found
}

function findingOf(workspace: ToolGrants, agents: readonly { name: string; missing: string[] }[]): Finding {
  const named = agents.slice(0, namedMax).map(({ name, missing }) => `${name} lists ${missing.join(', ')}`)
  if (agents.length > namedMax) named.push(`and so do ${agents.length - namedMax} more agents`)
  // A grant replaces the one before.
  const tools = [...new Set([...workspace.tools, ...agents.flatMap(({ missing }) => missing)])]
  const words = tools.map((tool) => (tool.includes('*') ? `'${tool}'` : tool)).join(' ')
  return warning(
    check,
    `in ${workspace.name} (${workspace.id}) ${named.join('; ')}, which the workspace is not granted`,
    `If it may use them: ${commandName()} tools grant ${workspace.id} ${words}`,
  )
}

/** Of a name with * only that nothing can come of it: neither a grant nor a tool that needs none is among what it stands for. */
function isMissing(listed: string, grants: readonly string[]): boolean {
  return ![...grants, ...grantlessTools].some((each) => overlap(listed, each))
}

function overlap(one: string, other: string): boolean {
  const [shorter, longer] = [one, other].map(beginning).sort((a, b) => a.text.length - b.text.length)
  if (!shorter || !longer) return false
  return shorter.isOpen ? longer.text.startsWith(shorter.text) : shorter.text === longer.text
}

const beginning = (name: string): { text: string; isOpen: boolean } =>
  name.endsWith('*') ? { text: name.slice(0, -1), isOpen: true } : { text: name, isOpen: false }
