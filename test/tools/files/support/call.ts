/** Makes a tool by settings and calls it the way a turn does. */
import { openSettings } from '../../../../config/settings.ts'
import { systemClock } from '../../../../runtime/time/clock.ts'
import { firstWorkspaceId, newTurnId, type WorkspaceId } from '../../../../store/id.ts'
import type { Tool, ToolContext, ToolDependencies } from '../../../../tools/tool.ts'
import { recordingLog } from '../../../support/recording-log.ts'

export function toolDependencies(environment: Record<string, string>) {
  const { log, lines } = recordingLog()
  const settings = openSettings({ environment, stored: new Map() })
  return { dependencies: { settings, log, clock: systemClock } satisfies ToolDependencies, lines }
}

export function toolContext(
  dependencies: ToolDependencies,
  options: { workspaceId?: WorkspaceId; signal?: AbortSignal } = {},
) {
  const outside = () => Promise.reject(new Error('this tool has no need of its turn'))
  return {
    workspaceId: options.workspaceId ?? firstWorkspaceId,
    turnId: newTurnId(),
    conversationId: null,
    callKey: 'key',
    signal: options.signal ?? AbortSignal.timeout(20_000),
    log: dependencies.log,
    clock: dependencies.clock,
    turn: { delegate: outside, messageUser: outside, reveal: () => [], result: outside },
  } satisfies ToolContext
}

/** @throws what the tool throws, or what is wrong with the arguments */
export async function call(tool: Tool, context: ToolContext, given: unknown): Promise<string> {
  const prepared = tool.prepare(given)
  if ('problem' in prepared) throw new TypeError(prepared.problem)
  return prepared.run(context)
}
