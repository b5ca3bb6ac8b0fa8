/** What a conversation is asked: plain data. */
import type { ChatMessage } from '../../models/transport.ts'
import type { ApiKeyId, ConversationId, TurnId, WorkspaceId } from '../../store/id.ts'
import type { AgentProfile } from '../agent/directory/definition.ts'

/** A stored conversation by its id; a call without one is a conversation of a single turn, named after that turn. */
export type ConversationKey = ConversationId | TurnId

export interface Post {
  /** Made by the caller, who subscribes to the stream of this id before posting. */
  turnId: TurnId
  workspaceId: WorkspaceId
  apiKeyId: ApiKeyId | null
  requestId: string
  /** True: the conversation is to be made; false: it must exist. Says nothing for a call without one. */
  isNew: boolean
  model: string
  /** The whole conversation of a self-contained call; of a stored one only what is new. */
  messages: ChatMessage[]
  parameters: Record<string, unknown>
  isStream: boolean
  /** Null: the model answers by itself. */
  agent: AgentProfile | null
}
