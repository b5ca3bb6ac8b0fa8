/** What a conversation keeps in memory between its turns. */
import type { ChatMessage } from '../../models/transport.ts'
import type { ActorContext } from '../../runtime/actor/define.ts'
import type { WorkspaceId } from '../../store/id.ts'
import type { Services } from '../services.ts'
import type { ConversationKey } from './messages.ts'

export interface ConversationState {
  /** Undefined until the first post loads it, and after a failed commit, when only the database knows what is there. */
  history: ChatMessage[] | undefined
  workspaceId: WorkspaceId | undefined
  /** Resolves when the turn before has ended. */
  turnBefore: Promise<void>
  /** Posts that wait for their turn or have it. */
  waiting: number
}

export type ConversationContext = ActorContext<ConversationKey, ConversationState, Services>

export const newConversationState = (): ConversationState => ({
  history: undefined,
  workspaceId: undefined,
  turnBefore: Promise.resolve(),
  waiting: 0,
})
