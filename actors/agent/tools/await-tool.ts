/**
 * A tool that a call was written down for and that is not there now: after a restart its server connects in the background,
 * and a call that an operator has approved is not to fail for being a moment early.
 */
import { sleep } from '../../../runtime/time/clock.ts'
import { ms, seconds } from '../../../runtime/time/duration.ts'
import { serverLabel } from '../../../tools/mcp/tool-name.ts'
import type { Tool } from '../../../tools/tool.ts'
import type { AgentRun } from '../agent-run.ts'
import type { Toolset } from './toolset.ts'

/** A first try to connect takes no longer, its list included. */
const waitMs = seconds(90)
const lookMs = ms(250)

/** @returns undefined where nothing will bring it, or nothing did in time. @throws the run's signal's reason */
export async function awaitTool(run: AgentRun, toolset: Toolset, name: string): Promise<Tool | undefined> {
  const { clock, services, signal } = run
  const untilMs = clock.elapsed() + waitMs
  for (;;) {
    const tool = toolset.admit(services.tools.all(), name)
    if (tool || !isOnItsWay(run, name) || clock.elapsed() >= untilMs) return tool
    await sleep(clock, lookMs, signal)
  }
}

/** The server whose tools are named so is not connected yet, or not again. */
function isOnItsWay({ services }: AgentRun, name: string): boolean {
  return services.tools
    .servers()
    .some(
      (server) =>
        (server.status === 'connecting' || server.status === 'waiting') &&
        name.startsWith(`${serverLabel(server.name)}__`),
    )
}
