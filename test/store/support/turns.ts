/** Turn rows with everything filled in, of which a test says only what it is about. */
import { firstWorkspaceId, newTurnId } from '../../../store/id.ts'
import type { TurnEnd, TurnStart } from '../../../store/turns/turns.ts'

export function turnStart(differing: Partial<TurnStart> = {}): TurnStart {
  return {
    id: newTurnId(),
    workspaceId: firstWorkspaceId,
    conversationId: null,
    apiKeyId: null,
    requestId: 'req-1',
    model: 'model-a',
    isStream: true,
    startedAt: new Date('2026-01-02T03:04:05.678Z'),
    ...differing,
  }
}

export function turnEnd(differing: Partial<TurnEnd> = {}): TurnEnd {
  return {
    status: 'completed',
    model: 'model-a',
    promptTokens: 11,
    completionTokens: 7,
    isUsageEstimated: false,
    finishReason: 'stop',
    errorCode: null,
    errorMessage: null,
    timeToFirstTokenMs: 12.5,
    durationMs: 99.5,
    ...differing,
  }
}
