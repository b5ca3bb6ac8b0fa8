/** Tools of outgoing requests as an agent calls them: made from settings, arguments checked, one context a call. */
import { openSettings } from '../../../../config/settings.ts'
import { createResolver } from '../../../../runtime/network/resolver.ts'
import { systemClock } from '../../../../runtime/time/clock.ts'
import { firstWorkspaceId, newTurnId } from '../../../../store/id.ts'
import { type Tool, type ToolContext, ToolFailed, type ToolMaker } from '../../../../tools/tool.ts'
import { type RecordedLine, recordingLog } from '../../../support/recording-log.ts'

export interface MadeTool {
  tool: Tool
  lines: readonly RecordedLine[]
  /** @throws what the call throws, or its problem with the arguments as an Error */
  call(given: unknown, signal?: AbortSignal): Promise<string>
}

const resolve = createResolver()

export function made(maker: ToolMaker, environment: Record<string, string>): MadeTool {
  const { log, lines } = recordingLog()
  const settings = openSettings({ environment, stored: new Map() })
  const tool = maker({ settings, log, clock: systemClock, resolve })
  if (!tool) throw new Error('the tool is off')
  return {
    tool,
    lines,
    async call(given, signal = new AbortController().signal) {
      const prepared = tool.prepare(given)
      if ('problem' in prepared) throw new Error(prepared.problem)
      return prepared.run({ ...context(), log, signal })
    },
  }
}

function context(): Omit<ToolContext, 'log' | 'signal'> {
  const none = () => Promise.reject(new ToolFailed('unavailable', 'no turn is here'))
  return {
    workspaceId: firstWorkspaceId,
    turnId: newTurnId(),
    conversationId: null,
    callKey: 'call-key-1',
    clock: systemClock,
    turn: { delegate: none, messageUser: none, reveal: () => [], result: async () => undefined },
  }
}
