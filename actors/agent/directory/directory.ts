/** All agents as they are defined now, in memory: every turn asks for one by name. */
import { freshRead } from '../../../runtime/fresh-read.ts'
import type { Log } from '../../../runtime/log/log.ts'
import { type AgentHead, readAllAgents } from '../../../store/agents.ts'
import type { Database } from '../../../store/database.ts'
import type { AgentId, WorkspaceId } from '../../../store/id.ts'
import { readToolGrants } from '../../../store/workspaces.ts'
import { AgentDefinition, defaultAgent, defaultAgentName } from './definition.ts'

export interface Agent {
  /** Null: no operator made it. */
  readonly id: AgentId | null
  readonly name: string
  /** 0: no operator made it. */
  readonly version: number
  readonly definition: AgentDefinition
  readonly createdAt: Date
}

export interface AgentDirectory {
  /** `default` is always found, unless an operator's own cannot be read: what it forbids would be allowed otherwise. */
  find(workspaceId: WorkspaceId, name: string): Agent | undefined
  /** Those that operators made, by name. */
  list(workspaceId: WorkspaceId): readonly Agent[]
  /** Names of tools, or `name*`, that the workspace may use of those that need it. */
  toolGrants(workspaceId: WorkspaceId): readonly string[]
  /** Resolves when every change that was committed before the call has been read. */
  refresh(): Promise<void>
}

/** Of all workspaces. */
const agentsMaxByDefault = 100_000

const builtIn: Agent = {
  id: null,
  name: defaultAgentName,
  version: 0,
  definition: defaultAgent,
  createdAt: new Date(0),
}

interface ReadAgent {
  id: AgentId
  version: number
  /** Null: it cannot be read. */
  agent: Agent | null
}

interface Workspace {
  byName: Map<string, Agent | null>
  all: Agent[]
}

export function agentDirectory(parts: { db: Database; log: Log; agentsMax?: number }): AgentDirectory {
  const { db, log, agentsMax = agentsMaxByDefault } = parts
  let agents = new Map<AgentId, ReadAgent>()
  let workspaces = new Map<WorkspaceId, Workspace>()
  let grants: ReadonlyMap<WorkspaceId, readonly string[]> = new Map()

  async function read(): Promise<void> {
    const heads = await readAllAgents(db, [...agents.values()], agentsMax + 1)
    grants = await readToolGrants(db)
    if (heads.length > agentsMax)
      log.error({ agents_max: agentsMax }, 'there are more agents than are kept in memory; the others are not found')
    const previous = agents
    agents = new Map()
    workspaces = new Map()
    for (const head of heads.slice(0, agentsMax)) {
      const { id, version } = head
      const agent = head.definition ? opened(head, log) : (previous.get(id)?.agent ?? null)
      agents.set(id, { id, version, agent })
      addToWorkspace(head, agent)
    }
  }

  function addToWorkspace({ workspaceId, name }: AgentHead, agent: Agent | null): void {
    const workspace: Workspace = workspaces.get(workspaceId) ?? { byName: new Map(), all: [] }
    workspaces.set(workspaceId, workspace)
    workspace.byName.set(name, agent)
    if (agent) workspace.all.push(agent)
  }

  return {
    find(workspaceId, name) {
      const found = workspaces.get(workspaceId)?.byName.get(name)
      if (found !== undefined) return found ?? undefined
      return name === defaultAgentName ? builtIn : undefined
    },
    toolGrants: (workspaceId) => grants.get(workspaceId) ?? [],
    list: (workspaceId) => workspaces.get(workspaceId)?.all ?? [],
    refresh: freshRead(read),
  }
}

function opened({ id, workspaceId, name, version, createdAt, definition }: AgentHead, log: Log): Agent | null {
  const parsed = AgentDefinition.safeParse(definition)
  if (parsed.success) return { id, name, version, definition: parsed.data, createdAt }
  // Where it is wrong, never what is in it.
  const fields = parsed.error.issues.map(({ path }) => path.join('.'))
  log.error(
    { workspaceId, agent: name, version, fields },
    'the definition of an agent cannot be read; the agent is off',
  )
  return null
}
