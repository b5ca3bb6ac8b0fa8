/** Reads the agents when the service starts and whenever they are changed, here or by another process. */

import type { Log } from '../../../runtime/log/log.ts'
import { seconds } from '../../../runtime/time/duration.ts'
import { agentsChangeKind } from '../../../store/agents.ts'
import type { Changes } from '../../../store/changes.ts'
import type { MaintenanceTask } from '../../maintenance/task.ts'
import type { AgentDirectory } from './directory.ts'

/** @returns ends it */
export async function startAgents(parts: { agents: AgentDirectory; changes: Changes; log: Log }): Promise<() => void> {
  const { agents, changes, log } = parts
  // Before the first look: no change falls between the two.
  const leave = changes.onChange(agentsChangeKind, refresh)
  await agents.refresh()

  function refresh(): void {
    agents
      .refresh()
      .catch((error: unknown) => log.error({ err: error }, 'changed agents could not be read; those before them stay'))
  }

  return leave
}

export function agentRefresh(agents: AgentDirectory): MaintenanceTask {
  return { name: 'agents', intervalMs: seconds(30), run: () => agents.refresh() }
}
