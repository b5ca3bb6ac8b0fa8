/** What a conversation keeps in memory between its turns. */
import type { ActorContext } from '../../runtime/actor/define.ts'
import type { WorkspaceId } from '../../store/id.ts'
import type { Services } from '../services.ts'
import type { ConversationKey } from './messages.ts'

export interface ConversationState {
  workspaceId: WorkspaceId | undefined
  /** Resolves when the turn before has ended. */
  turnBefore: Promise<void>
  /** Posts that wait for their turn or have it. */
  waiting: number
  /** Counts how often the past was changed behind this actor's back: what a turn began with may no longer hold at its end. */
  changes: number
}

export type ConversationContext = ActorContext<ConversationKey, ConversationState, Services>

export const newConversationState = (): ConversationState => ({
  workspaceId: undefined,
  turnBefore: Promise.resolve(),
  waiting: 0,
  changes: 0,
})
