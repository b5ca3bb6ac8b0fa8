/** What a loop of an agent is asked, and what it comes to. */
import type { ChatMessage } from '../../models/transport.ts'
import type { AnswerSink } from './agent-run.ts'
import type { AgentProfile } from './directory/definition.ts'
import type { ClientTool } from './model/call-model.ts'
import type { ClientToolCalls } from './tools/client-tool-calls.ts'
import type { Toolset } from './tools/toolset.ts'

export interface LoopRequest {
  /** Of the loop's steps in the journal. */
  path: string
  agent: AgentProfile
  /** How deep in sub-agents; 0: the turn itself. */
  depth: number
  messages: readonly ChatMessage[]
  toolset: Toolset
  /** Of the client's own: a call of one ends the loop, and the client answers it. */
  clientTools?: readonly ClientTool[]
  /** Model calls at most; the last one gets no tools, so that it has to answer. */
  stepsMax: number
  sink?: AnswerSink | undefined
}

export interface LoopResult {
  text: string
  /** Where it ended with calls that the client is to answer: the message as the client gets it. */
  clientCalls: ChatMessage | null
  /** What was done before and beside those calls. */
  clientToolCalls?: ClientToolCalls
  /** length: a bound was reached, and the text says which. */
  finishReason: string
}
