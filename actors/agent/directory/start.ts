/** Reads the agents when the service starts and whenever they are changed, here or by another process. */

import type { Log } from '../../../runtime/log/log.ts'
import type { Clock } from '../../../runtime/time/clock.ts'
import { seconds } from '../../../runtime/time/duration.ts'
import { agentsChangeKind } from '../../../store/agents.ts'
import type { Changes } from '../../../store/changes.ts'
import type { AgentDirectory } from './directory.ts'

/** Whatever word was lost, or could not be followed while the database was away, is made up for this often. */
const lookMs = seconds(30)

/** @returns ends it */
export async function startAgents(parts: {
  agents: AgentDirectory
  changes: Changes
  clock: Clock
  log: Log
}): Promise<() => void> {
  const { agents, changes, clock, log } = parts
  // Before the first look: no change falls between the two.
  const leave = changes.onChange(agentsChangeKind, refresh)
  await agents.refresh()
  let timer = clock.after(lookMs, look)

  function refresh(): void {
    agents
      .refresh()
      .catch((error: unknown) => log.error({ err: error }, 'changed agents could not be read; those before them stay'))
  }

  function look(): void {
    timer = clock.after(lookMs, look)
    refresh()
  }

  return () => {
    leave()
    timer.cancel()
  }
}
