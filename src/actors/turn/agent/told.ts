/** What the model is told of a conversation: all of it where it fits, else the newest of it behind a summary of the rest. */
import type { ChatMessage } from '../../../models/transport.ts'
import type { StoredMessage } from '../../../store/history.ts'
import { loadPast, saveSummary } from '../../../store/summaries.ts'
import { type PastMessage, rollSummary } from '../../context/roll-summary.ts'
import { fitToWindow } from '../../context/window.ts'
import type { AgentTask, Run } from '../messages.ts'
import type { AgentRun } from './agent-run.ts'
import { BoundReached } from './budget.ts'
import { callModel } from './call-model.ts'
import type { Toolset } from './toolset.ts'

/** Messages of the past that are looked at, in a conversation that has outgrown its window. */
const pastMax = 500

/** From here on the oldest are summarised, however short they are: those past `pastMax` would be left out. */
const unsummarisedMax = 450

/** @param messages without system messages, what the turn answers last */
export async function told(
  run: AgentRun,
  { turnId }: Run,
  task: AgentTask,
  parts: { system: string; toolset: Toolset; messages: readonly ChatMessage[] },
): Promise<ChatMessage[]> {
  const { system, toolset, messages } = parts
  const { settings, tokens } = run.services
  const limitTokens = task.agent.definition.context_tokens ?? settings.get('SERVICE_AGENT_CONTEXT_TOKENS')
  const toolTexts = toolset.advertised().map(({ name, description, parameters }) => ({ name, description, parameters }))
  const fixed = `${system}\n${JSON.stringify(toolTexts)}`
  // No token is shorter than a byte: what surely fits is not counted.
  const most = messages.reduce((sum, message) => sum + tokens.atMost(message), Buffer.byteLength(fixed))
  if (most <= limitTokens && messages.length < unsummarisedMax) return [...messages]
  const systemTokens = await tokens.ofText(fixed)
  const window = { systemTokens, limitTokens, tokens }
  if (task.conversationId === null) return (await fitToWindow({ messages, summary: null, ...window })).messages

  const { db } = run.services
  const stored = await loadPast(db, task.workspaceId, task.conversationId, pastMax)
  const isPast = (one: StoredMessage) => (task.seqFrom === null ? one.turnId !== turnId : one.turnSeq < task.seqFrom)
  const past = (stored?.messages ?? [])
    .filter(isPast)
    .map(({ body, turnSeq }): PastMessage => ({ message: body as ChatMessage, turnSeq }))
  const summary = stored?.summary ?? null
  let ended: unknown
  const said = messages.slice(messages.length - task.saidCount)
  const rolled = await rollSummary({
    ...{ past, summary, said, ...window, log: run.services.log },
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
  if (rolled.isNew && rolled.summary)
    await saveSummary(db, task.workspaceId, task.conversationId, rolled.summary, stored?.contextAfterSeq ?? 0)
  const all = [...rolled.past.map(({ message }) => message), ...said]
  return (await fitToWindow({ messages: all, summary: rolled.summary?.text ?? null, ...window })).messages
}
