/** What a conversation keeps in memory between its turns. */
import type { ActorContext } from '../../runtime/actor/define.ts'
import type { ConversationId, WorkspaceId } from '../../store/id.ts'
import type { Services } from '../services.ts'

export interface ConversationState {
  /** Known from the first turn on. */
  workspaceId: WorkspaceId | undefined
  /** Counts changes of the history past this actor: what a turn began with may no longer hold at its end. */
  changes: number
}

export type ConversationContext = ActorContext<ConversationId, ConversationState, Services>

export const newConversationState = (): ConversationState => ({ workspaceId: undefined, changes: 0 })
