/** All that a system prompt is made of. */
import type { ChatMessage } from '../../../models/transport.ts'
import type { AgentDefinition } from '../directory/definition.ts'

export interface PromptInput {
  agent: Pick<AgentDefinition, 'instructions' | 'persona'> & { name: string }
  /** Tells an answer that gives the prompt away; blank: none. */
  canary: string
  /** SERVICE_LOCALE: a language tag, or words; blank: as the user writes. */
  locale: string
  /** SERVICE_TIMEZONE */
  timeZone: string
  /** Milliseconds since the Unix epoch. */
  nowMs: number
  /** What is remembered of the user; blank: nothing. */
  memory: string
  tools: ToolNotes
  /** SERVICE_CONFIDENTIAL_PERSONA, where it applies: in web chats. */
  isConfidential: boolean
  /** System and developer messages that the client sent with its call; others are passed over. */
  application: readonly ChatMessage[]
}

export interface ToolNotes {
  /** Tools whose results strangers may have written are among those that the model is told of or may find. */
  hasUntrusted: boolean
  /** Names of the tools that wait for an operator, of those that the model is told of or may find. */
  approval: readonly string[]
  /** The tool that finds others; null: all are advertised. */
  search: string | null
}
