/** One call of the model within an agent's turn: counted, kept, and not made again by a turn that is begun again. */
import { ModelError } from '../../../models/errors.ts'
import type { ChatMessage, ModelDelta, ModelRequest, Usage } from '../../../models/transport.ts'
import type { Tool } from '../../../tools/tool.ts'
import type { AgentProfile, AgentRun, AnswerSink } from '../agent-run.ts'
import { digestOf } from '../journal/journal.ts'
import { transcript } from './stream-transcript.ts'

export interface ModelCallRequest {
  path: string
  n: number
  agent: AgentProfile
  messages: readonly ChatMessage[]
  /** Told to the model; none: it is told of none. */
  tools: readonly (Tool | ClientTool)[]
  /** Who reads the text as it comes; absent: nobody does. */
  sink?: AnswerSink | undefined
}

/** A tool of the client's own, carried as it came. */
export interface ClientTool {
  name: string
  definition: Record<string, unknown>
}

export interface ModelReply {
  message: ChatMessage
  text: string
  finishReason: string
}

/** The model's answer at a place is the same step whatever it was told: a prompt holds the time of day. */
const modelDigest = digestOf('model', null)

interface Kept {
  message: ChatMessage
  finish_reason: string
  model: string
  usage: Usage
}

/** @throws ModelError, BoundReached, JournalMismatch */
export async function callModel(run: AgentRun, request: ModelCallRequest): Promise<ModelReply> {
  const { path, n, sink } = request
  const place = { turnId: run.turnId, path, n }
  const earlier = run.journal.find(place, modelDigest)
  if (earlier?.status === 'succeeded') {
    const kept = earlier.result as Kept
    run.budget.spend(kept.usage, false)
    run.notes.answeredBy = kept.model
    const word = replyOf(kept.message, kept.finish_reason)
    if (word.text !== '') sink?.delta({ kind: 'text', choice: 0, text: word.text })
    return word
  }
  run.budget.check()
  const startedAt = new Date(run.clock.now())
  const startedMs = run.clock.elapsed()
  const { message, finishReason, model, usage, isUsageEstimated } = await answered(run, request)
  run.budget.spend(usage, isUsageEstimated)
  run.notes.answeredBy = model
  const kept: Kept = { message, finish_reason: finishReason, model, usage }
  const step = {
    ...{ turnId: run.turnId, path, n, workspaceId: run.workspaceId, conversationId: run.conversationId },
    ...{ kind: 'model' as const, status: 'succeeded' as const, name: model, callId: null, digest: modelDigest },
    ...{ request: undefined, result: kept, errorCode: null },
    ...{ promptTokens: usage.prompt_tokens, completionTokens: usage.completion_tokens },
    ...{ startedAt, durationMs: run.clock.elapsed() - startedMs },
  }
  const word = replyOf(message, finishReason)
  // Committed with the opening of the calls that it asks for: begun again, the turn must ask for the same.
  if (message['tool_calls']) run.journal.writeWithNext(step)
  else run.journal.writeBehind(step)
  return word
}

/** What a call that failed has cost is spent all the same. @throws ModelError */
async function answered(run: AgentRun, request: ModelCallRequest): Promise<Answered> {
  try {
    const asked = modelRequest(run, request)
    return await (request.sink ? streamed(run, asked, request.sink) : whole(run, asked))
  } catch (error) {
    if (error instanceof ModelError && error.usage) run.budget.spend(error.usage, true)
    throw error
  }
}

function modelRequest(run: AgentRun, { n, agent, messages, tools }: ModelCallRequest): ModelRequest {
  const { definition } = agent
  const { tools: _tools, tool_choice: choice, parallel_tool_calls: isParallel, n: _n, ...parameters } = run.parameters
  // A call that must be made is made in the first step; later ones may answer.
  const ofTools =
    tools.length === 0 ? {} : { tool_choice: n === 0 ? choice : undefined, parallel_tool_calls: isParallel }
  return {
    model: run.model,
    ...own({ routedModel: definition.model || run.routedModel }),
    messages,
    parameters: {
      ...own({
        temperature: definition.temperature,
        top_p: definition.top_p,
        max_tokens: definition.max_tokens,
        reasoning_effort: definition.reasoning_effort,
      }),
      ...parameters,
      ...(tools.length > 0 && { tools: tools.map(toldOf) }),
      ...own(ofTools),
    },
    // Whoever is told no tools answers, and nothing follows in which it would think on.
    ...(tools.length > 0 && { keepsReasoning: true }),
    signal: run.signal,
    ...(run.trace && { trace: run.trace }),
  }
}

function own(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function toldOf(tool: Tool | ClientTool): object {
  if ('definition' in tool) return tool.definition
  const { name, description, parameters } = tool
  return { type: 'function', function: { name, description, parameters } }
}

interface Answered {
  message: ChatMessage
  finishReason: string
  model: string
  usage: Usage
  isUsageEstimated: boolean
}

async function whole(run: AgentRun, request: ModelRequest): Promise<Answered> {
  const answer = await run.transport.complete(request)
  const choice = answer.choices[0]
  return {
    message: assistant(choice?.message),
    finishReason: choice?.finish_reason ?? 'stop',
    ...{ model: answer.model, usage: answer.usage, isUsageEstimated: answer.isUsageEstimated },
  }
}

async function streamed(run: AgentRun, request: ModelRequest, sink: AnswerSink): Promise<Answered> {
  const said = transcript()
  const call = run.transport.stream(request, {
    delta(delta) {
      said.add(delta)
      return isTold(delta) ? sink.delta(delta) : true
    },
  })
  sink.onRoom(() => call.resume())
  const end = await call.done
  const choice = said.choices()[0]
  return {
    message: assistant(choice?.message),
    finishReason: choice?.finish_reason ?? 'stop',
    ...{ model: end.model, usage: end.usage, isUsageEstimated: end.isUsageEstimated },
  }
}

/** Of a step the reader hears the words; the model's calls of our tools, and the end of the step, are ours. */
function isTold(delta: ModelDelta): boolean {
  if (delta.kind === 'text') return delta.choice === 0
  return delta.kind === 'model'
}

function assistant(message: Record<string, unknown> | undefined): ChatMessage {
  return { content: '', ...message, role: 'assistant' }
}

function replyOf(message: ChatMessage, finishReason: string): ModelReply {
  return { message, text: typeof message.content === 'string' ? message.content : '', finishReason }
}
