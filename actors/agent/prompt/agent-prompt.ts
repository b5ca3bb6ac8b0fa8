/** The system prompt of an agent in this turn, by the settings as they are now. */
import type { ChatMessage } from '../../../models/transport.ts'
import type { AgentRun } from '../agent-run.ts'
import type { AgentProfile } from '../directory/definition.ts'
import { type Toolset, toolSearchName } from '../tools/toolset.ts'
import { systemPrompt } from './system-prompt.ts'

/** @param application system messages of the client's own; a sub-agent has none */
export function agentPrompt(
  run: AgentRun,
  { name, definition }: AgentProfile,
  toolset: Toolset,
  application: readonly ChatMessage[] = [],
): string {
  const { settings } = run.services
  const tools = toolset.callable()
  return systemPrompt({
    agent: { name, instructions: definition.instructions, persona: definition.persona },
    canary: run.services.guard ? run.services.canary : '',
    locale: settings.get('SERVICE_LOCALE'),
    timeZone: settings.get('SERVICE_TIMEZONE'),
    nowMs: run.clock.now(),
    memory: '',
    tools: {
      hasUntrusted: tools.some(({ isUntrusted }) => isUntrusted),
      approval: tools.filter((tool) => toolset.needsApproval(tool.name)).map((tool) => tool.name),
      search: toolset.find(toolSearchName)?.name ?? null,
    },
    isConfidential: run.isWebChat && settings.get('SERVICE_CONFIDENTIAL_PERSONA'),
    application,
  })
}
