/**
 * Waits for a tool that the journal holds a call of and that is not there now: after a restart its server connects in the
 * background, and a call that an operator has approved is not to fail because it comes a moment early.
 */
import { sleep } from '../../../runtime/time/clock.ts'
import { ms, seconds } from '../../../runtime/time/duration.ts'
import { serverLabel } from '../../../tools/mcp/tool-name.ts'
import type { Tool } from '../../../tools/tool.ts'
import type { AgentRun } from '../agent-run.ts'
import { grantedTools } from './granted-tools.ts'
import type { Toolset } from './toolset.ts'

/** The first attempt to connect takes no longer, the list of tools included. */
const waitMs = seconds(90)
const pollMs = ms(250)

/** @returns undefined where no server will bring it, or none did in time. @throws the run's signal's reason */
export async function awaitTool(run: AgentRun, toolset: Toolset, name: string): Promise<Tool | undefined> {
  const { clock, services, signal } = run
  const untilMs = clock.elapsed() + waitMs
  for (;;) {
    const tool = toolset.admit(grantedTools(services, run.workspaceId), name)
    if (tool || !isComing(run, name) || clock.elapsed() >= untilMs) return tool
    await sleep(clock, pollMs, signal)
  }
}

/** The server of tools with such names is not connected yet, or not yet again. */
function isComing({ services }: AgentRun, name: string): boolean {
  return services.tools
    .servers()
    .some(
      (server) =>
        (server.status === 'connecting' || server.status === 'waiting') &&
        name.startsWith(`${serverLabel(server.name)}__`),
    )
}
