/** The messages of a prompt: the whole conversation where it fits, else its newest part behind a summary of the rest. */
import type { ChatMessage } from '../../../models/transport.ts'
import { type StoredSummary, saveSummary } from '../../../store/conversations/summaries.ts'
import type { AgentTask } from '../../turn/messages.ts'
import type { AgentRun } from '../agent-run.ts'
import { BoundReached } from '../budget/budget.ts'
import { callModel } from '../model/call-model.ts'
import type { Toolset } from '../tools/toolset.ts'
import { type ConversationPast, unsummarisedMax } from './past.ts'
import { type RolledPast, type RollInput, rollSummary } from './roll-summary.ts'
import { summaryNote } from './summary-note.ts'
import { fitToWindow } from './window.ts'

/** What becomes of the summary of a conversation, for the outcome of the turn. */
export interface SummaryNotes {
  /** One that the turn has stored. */
  summary?: StoredSummary
  /** The store did not take it: what is cached of the past is not what is stored. */
  isPastStale?: boolean
}

interface PromptParts {
  system: string
  toolset: Toolset
  /** Without system messages: the past, and what the turn answers. */
  messages: readonly ChatMessage[]
  notes: SummaryNotes
}

export async function promptMessages(run: AgentRun, task: AgentTask, parts: PromptParts): Promise<ChatMessage[]> {
  const { system, toolset, messages, notes } = parts
  const { settings, tokens } = run.services
  const { past } = task
  const limitTokens = task.agent.definition.context_tokens ?? settings.get('SERVICE_AGENT_CONTEXT_TOKENS')
  const toolTexts = toolset.advertised().map(({ name, description, parameters }) => ({ name, description, parameters }))
  const fixed = `${system}\n${JSON.stringify(toolTexts)}`
  const all = past?.summary ? [summaryNote(past.summary.text), ...messages] : [...messages]
  // No token is shorter than a byte: what surely fits is not counted.
  const tokensMax = all.reduce((sum, message) => sum + tokens.upperBound(message), Buffer.byteLength(fixed))
  if (tokensMax <= limitTokens && messages.length < unsummarisedMax) return all
  const window = { systemTokens: await tokens.countText(fixed), limitTokens, tokens }
  if (past === null) return (await fitToWindow({ messages, summary: null, ...window })).messages
  const newMessages = messages.slice(messages.length - task.newMessageCount)
  const rolled = await rollPast(run, task, { past, newMessages, window, notes })
  const fitting = [...rolled.past.map(({ message }) => message), ...newMessages]
  return (await fitToWindow({ messages: fitting, summary: rolled.summary?.text ?? null, ...window })).messages
}

interface RollParts {
  past: ConversationPast
  newMessages: readonly ChatMessage[]
  window: Pick<RollInput, 'systemTokens' | 'limitTokens' | 'tokens'>
  notes: SummaryNotes
}

/** Where the past has outgrown its room, its oldest part becomes the summary, which is stored. */
async function rollPast(
  run: AgentRun,
  task: AgentTask,
  { past, newMessages, window, notes }: RollParts,
): Promise<RolledPast> {
  let ending: unknown
  const rolled = await rollSummary({
    past: past.messages,
    summary: past.summary,
    newMessages,
    ...window,
    log: run.services.log,
    ask: async (messages) => {
      run.progress('summarising the older part of the conversation')
      try {
        return (await callModel(run, { path: 'summary', n: 0, agent: task.agent, messages, tools: [] })).text
      } catch (error) {
        if (run.signal.aborted || error instanceof BoundReached) ending = error
        throw error
      }
    },
  })
  // The turn goes on without a summary that failed, but not past its own end.
  if (ending !== undefined) throw ending
  if (rolled.isNew && rolled.summary) await store(run, rolled.summary, past.contextAfterSeq, notes)
  return rolled
}

async function store(
  { services, workspaceId, conversationId, turnId, lease }: AgentRun,
  summary: StoredSummary,
  contextAfterSeq: number,
  notes: SummaryNotes,
): Promise<void> {
  if (conversationId === null) return
  const place = { conversation: conversationId, turn: { id: turnId, node: services.leases.node, lease } }
  const outcome = await saveSummary(services.db, workspaceId, place, summary, contextAfterSeq)
  if (outcome === 'saved') notes.summary = summary
  else notes.isPastStale = true
}
