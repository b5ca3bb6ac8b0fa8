/** The kinds of things that wait for a person. A new one is an entry here; page, counts and badge follow. */
import type { Database } from '../../../store/database.ts'
import type { ConversationId, TurnId, WorkspaceId } from '../../../store/id.ts'
import {
  countPendingApprovals,
  countUnknownEffects,
  pendingApprovals,
  type WaitingCount,
} from '../../../store/inbox/waiting.ts'
import { unknownSteps } from '../../../store/turns/steps.ts'

/** What a kind knows by itself; who asked, what led to it and what was decided before is added for all alike. */
export interface WaitingThing {
  id: string
  since: Date
  expiresAt: Date | null
  agent: string | null
  tool: string
  arguments: unknown
  path: string
  n: number
  turnId: TurnId
  conversationId: ConversationId | null
}

export interface InboxKind {
  readonly name: string
  count(db: Database, workspace: WorkspaceId): Promise<WaitingCount>
  /** The most urgent first. */
  first(db: Database, workspace: WorkspaceId, limit: number): Promise<WaitingThing[]>
}

const approval: InboxKind = {
  name: 'approval',
  count: countPendingApprovals,
  async first(db, workspace, limit) {
    const approvals = await pendingApprovals(db, workspace, limit)
    return approvals.map(({ requestedAt, ...facts }) => ({ ...facts, since: requestedAt }))
  },
}

const unknownEffect: InboxKind = {
  name: 'unknown_effect',
  count: countUnknownEffects,
  async first(db, workspace, limit) {
    const steps = await unknownSteps(db, workspace, limit)
    return steps.map((step) => ({
      id: `${step.turnId} ${step.path} ${step.n}`,
      since: step.startedAt,
      expiresAt: null,
      agent: null,
      tool: step.name,
      arguments: step.request,
      path: step.path,
      n: step.n,
      turnId: step.turnId,
      conversationId: step.conversationId,
    }))
  },
}

export const inboxKinds: readonly InboxKind[] = [approval, unknownEffect]
