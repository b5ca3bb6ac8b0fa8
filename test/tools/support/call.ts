/** What a tool is made with and sees, with settings of the test's own and nothing behind the turn's powers. */
import { openSettings } from '../../../config/settings.ts'
import { createResolver } from '../../../runtime/network/resolver.ts'
import { type Clock, systemClock } from '../../../runtime/time/clock.ts'
import type { Database } from '../../../store/database.ts'
import { type ConversationId, firstWorkspaceId, type TurnId } from '../../../store/id.ts'
import {
  type OutgoingToolDependencies,
  type Tool,
  type ToolContext,
  type ToolDependencies,
  ToolFailed,
} from '../../../tools/tool.ts'
import { type RecordedLine, recordingLog } from '../../support/recording-log.ts'

export interface TestDependencies extends OutgoingToolDependencies {
  lines: RecordedLine[]
}

export function testDependencies(
  environment: Record<string, string> = {},
  clock: Clock = systemClock,
  db?: Database,
): TestDependencies {
  const { log, lines } = recordingLog()
  const settings = openSettings({ environment, stored: new Map() })
  return { settings, log, clock, resolve: createResolver(), lines, ...(db && { db }) }
}

/** Calls a tool as a turn does: arguments checked first. @throws what the tool throws, or its problem as an error */
export async function call(
  tool: Tool | undefined,
  given: unknown,
  { dependencies, signal = new AbortController().signal }: { dependencies: ToolDependencies; signal?: AbortSignal },
): Promise<string> {
  if (tool === undefined) throw new Error('the tool is off')
  const prepared = tool.prepare(given)
  if ('problem' in prepared) throw new Error(prepared.problem)
  return prepared.run(context(dependencies, signal))
}

export const testTurn = 'turn_0190a000000070008000000000000001' as TurnId

function context({ log, clock }: ToolDependencies, signal: AbortSignal): ToolContext {
  const absent = () => {
    throw new ToolFailed('unavailable', 'this test has no turn')
  }
  return {
    workspaceId: firstWorkspaceId,
    turnId: testTurn,
    conversationId: '0190a000-0000-7000-8000-000000000002' as ConversationId,
    callKey: 'call-1',
    signal,
    log,
    clock,
    turn: { delegate: absent, messageUser: absent, reveal: () => [], result: async () => undefined },
  }
}
