/** Steps and approvals with everything filled in, of which a test says only what it is about. */
import type { Approval } from '../../../store/approvals.ts'
import { firstWorkspaceId, newApprovalId, newTurnId } from '../../../store/id.ts'
import type { Step } from '../../../store/turns/steps.ts'

export const aDigest = '0123456789abcdef0123456789abcdef'

export function step(differing: Partial<Step> = {}): Step {
  return {
    turnId: newTurnId(),
    path: '',
    n: 1,
    workspaceId: firstWorkspaceId,
    conversationId: null,
    kind: 'tool',
    status: 'started',
    name: 'http_request',
    callId: 'call_1',
    digest: aDigest,
    request: { method: 'POST' },
    result: undefined,
    promptTokens: null,
    completionTokens: null,
    errorCode: null,
    startedAt: new Date('2026-01-02T03:04:05.678Z'),
    durationMs: null,
    ...differing,
  }
}

export function approval(differing: Partial<Approval> = {}) {
  return {
    id: newApprovalId(),
    workspaceId: firstWorkspaceId,
    turnId: newTurnId(),
    path: '',
    n: 1,
    conversationId: null,
    agent: 'clerk',
    tool: 'http_request',
    arguments: { method: 'POST' } as unknown,
    digest: aDigest,
    expiresAt: new Date(Date.now() + 3_600_000),
    ...differing,
  }
}
