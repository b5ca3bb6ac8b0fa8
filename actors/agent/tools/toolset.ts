/** The tools of one agent in one turn: which it may call, which its model is told of, which wait for an operator. */
import type { Tool } from '../../../tools/tool.ts'
import type { AgentDefinition } from '../directory/definition.ts'

export const toolSearchName = 'tool_search'
export const delegateName = 'delegate'
export const messageUserName = 'message_user'

export interface Toolset {
  /** Those that the model is told of now. */
  advertised(): readonly Tool[]
  /** Those that it may call, advertised or not. */
  callable(): readonly Tool[]
  find(name: string): Tool | undefined
  needsApproval(name: string): boolean
  /** Tools that are not always advertised and fit the words, best first; from now on they are. */
  reveal(words: string): readonly Tool[]
  /** A tool that is there only now, where the agent may call it. @returns undefined: it is not there, or not for this agent */
  admit(all: readonly Tool[], name: string): Tool | undefined
  /** The same without tools that change something, also for the agents that it hands work to. */
  reading(): Toolset
  /** Tools that a reading toolset lacks because they change something. */
  readonly withheld: readonly Tool[]
  readonly isReading: boolean
}

export interface ToolsetRules {
  /** Tools that wait for an operator, for every agent. */
  approvalTools: readonly string[]
  isSearchOn: boolean
  searchCore: readonly string[]
  searchThreshold: number
  /** False: as deep as sub-agents may nest. */
  mayDelegate: boolean
  /** True: none that changes something. */
  isReading?: boolean
}

const revealedMax = 5

export function createToolset(all: readonly Tool[], agent: AgentDefinition, rules: ToolsetRules): Toolset {
  const isAllowed = ({ name }: Pick<Tool, 'name'>) => {
    if (name === toolSearchName) return false
    if (name === delegateName) return rules.mayDelegate && agent.sub_agents.length > 0
    return agent.tools === undefined || matchesAny(name, agent.tools)
  }
  const ofAgent = all
    .filter(isAllowed)
    .map((tool) => (tool.name === delegateName ? namingAgents(tool, agent.sub_agents) : tool))
  const isReading = rules.isReading ?? false
  const withheld = isReading ? ofAgent.filter(({ risk }) => risk !== 'read') : []
  const allowed = ofAgent.filter((tool) => !withheld.includes(tool))
  const approvals = [...rules.approvalTools, ...agent.approval_tools]
  const search = all.find(({ name }) => name === toolSearchName)
  const isLazy = rules.isSearchOn && search !== undefined && allowed.length > rules.searchThreshold
  const callable = new Map((isLazy ? [...allowed, search] : allowed).map((tool) => [tool.name, tool]))
  const core = isLazy ? allowed.filter(({ name }) => matchesAny(name, rules.searchCore)).concat(search) : allowed
  const advertised = new Set(core)
  return {
    advertised: () => [...advertised],
    callable: () => [...callable.values()],
    find: (name) => callable.get(name),
    needsApproval: (name) => matchesAny(name, approvals),
    reveal(words) {
      const found = ranked(
        allowed.filter((tool) => !core.includes(tool)),
        words,
      ).slice(0, revealedMax)
      for (const tool of found) advertised.add(tool)
      return found
    },
    admit(now, name) {
      const tool = now.find((each) => each.name === name)
      if (!tool || !isAllowed(tool) || (isReading && tool.risk !== 'read')) return undefined
      callable.set(name, tool)
      advertised.add(tool)
      return tool
    },
    reading: () => createToolset(all, agent, { ...rules, isReading: true }),
    withheld,
    isReading,
  }
}

/** The agents that it may hand work to are its own: its model is told of no others. */
function namingAgents(tool: Tool, names: readonly string[]): Tool {
  return { ...tool, description: `${tool.description} There are these agents: ${names.join(', ')}.` }
}

/** `name*` stands for every name that begins so. */
export function matchesAny(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern))
}

/** By how many of the words stand in the name (which counts three times) and in the description. */
function ranked(tools: readonly Tool[], words: string): Tool[] {
  const searched =
    words
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.slice(0, 50) ?? []
  const scored = tools.map((tool) => ({ tool, score: scoreOf(tool, searched) }))
  const best = Math.max(...scored.map(({ score }) => score))
  return (
    scored
      // What fits so much worse than the best fits by a word such as "and".
      .filter(({ score }) => score > 0 && score * 4 >= best)
      .sort((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
      .map(({ tool }) => tool)
  )
}

function scoreOf(tool: Tool, words: readonly string[]): number {
  const name = tool.name.toLowerCase()
  const description = tool.description.toLowerCase()
  return words.reduce((sum, word) => sum + (name.includes(word) ? 3 : 0) + (description.includes(word) ? 1 : 0), 0)
}
