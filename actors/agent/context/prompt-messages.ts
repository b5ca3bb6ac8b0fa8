/** What the model is told of a conversation: all of it where it fits, else the newest of it behind a summary of the rest. */
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

/** @param messages without system messages: what is known of the past, and what the turn answers */
export async function promptMessages(
  run: AgentRun,
  task: AgentTask,
  parts: { system: string; toolset: Toolset; messages: readonly ChatMessage[] },
): Promise<ChatMessage[]> {
  const { system, toolset, messages } = parts
  const { settings, tokens } = run.services
  const { past } = task
  const limitTokens = task.agent.definition.context_tokens ?? settings.get('SERVICE_AGENT_CONTEXT_TOKENS')
  const toolTexts = toolset.advertised().map(({ name, description, parameters }) => ({ name, description, parameters }))
  const fixed = `${system}\n${JSON.stringify(toolTexts)}`
  const all = past?.summary ? [summaryNote(past.summary.text), ...messages] : [...messages]
  // No token is shorter than a byte: what surely fits is not counted.
  const most = all.reduce((sum, message) => sum + tokens.upperBound(message), Buffer.byteLength(fixed))
  if (most <= limitTokens && messages.length < unsummarisedMax) return all
  const window = { systemTokens: await tokens.countText(fixed), limitTokens, tokens }
  if (past === null) return (await fitToWindow({ messages, summary: null, ...window })).messages
  const said = messages.slice(messages.length - task.newMessageCount)
  const rolled = await rolledOn(run, task, past, said, window)
  const left = [...rolled.past.map(({ message }) => message), ...said]
  return (await fitToWindow({ messages: left, summary: rolled.summary?.text ?? null, ...window })).messages
}

/** Where the past has outgrown its room, its oldest part becomes the summary, which is stored. */
async function rolledOn(
  run: AgentRun,
  task: AgentTask,
  known: ConversationPast,
  said: readonly ChatMessage[],
  window: Pick<RollInput, 'systemTokens' | 'limitTokens' | 'tokens'>,
): Promise<RolledPast> {
  let ended: unknown
  const rolled = await rollSummary({
    ...{ past: known.messages, summary: known.summary, said, ...window, log: run.services.log },
    ask: async (asked) => {
      run.progress('summarising the older part of the conversation')
      try {
        return (await callModel(run, { path: 'summary', n: 0, agent: task.agent, messages: asked, tools: [] })).text
      } catch (error) {
        if (run.signal.aborted || error instanceof BoundReached) ended = error
        throw error
      }
    },
  })
  // A summary that fails is done without; a turn that ends meanwhile is not.
  if (ended !== undefined) throw ended
  if (rolled.isNew && rolled.summary) await store(run, rolled.summary, known.contextAfterSeq)
  return rolled
}

async function store(run: AgentRun, summary: StoredSummary, contextAfterSeq: number): Promise<void> {
  const { services, workspaceId, conversationId, notes } = run
  if (conversationId === null) return
  const fate = await saveSummary(services.db, workspaceId, conversationId, summary, contextAfterSeq)
  if (fate === 'saved') notes.summary = summary
  else notes.isPastStale = true
}
