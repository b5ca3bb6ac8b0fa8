/** One call of the model within an agent's turn: counted, stored, and not made again by a turn that is resumed. */
import { type CallUsage, callUsage } from '../../../models/call-usage.ts'
import { ModelError } from '../../../models/errors.ts'
import type { ChatMessage, ModelAnswer, ModelDelta, ModelRequest, Usage } from '../../../models/transport.ts'
import type { Step } from '../../../store/turns/steps.ts'
import type { Tool } from '../../../tools/tool.ts'
import type { AgentRun, AnswerSink } from '../agent-run.ts'
import type { AgentProfile } from '../directory/definition.ts'
import { digestOf } from '../journal/journal.ts'
import type { UsedCalls } from '../usage-ledger.ts'
import { modelAnswer } from './model-answer.ts'

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

/** What the journal stores of an answer. */
interface StoredReply {
  message: ChatMessage
  finish_reason: string
  model: string
  usage: Usage
  /** Absent: stored by a version that did not count by call. */
  used?: CallUsage
}

/** @throws ModelError, BoundReached, JournalMismatch */
export async function callModel(run: AgentRun, request: ModelCallRequest): Promise<ModelReply> {
  const { path, n, sink } = request
  const earlier = run.journal.find({ turnId: run.turnId, path, n }, modelDigest)
  if (earlier?.status === 'succeeded') {
    const stored = earlier.result as StoredReply
    const reply = count(run, request.agent, stored, false)
    if (reply.text !== '') sink?.delta({ kind: 'text', choice: 0, text: reply.text })
    return reply
  }
  run.budget.check()
  const startedAt = new Date(run.clock.now())
  const startedMs = run.clock.elapsed()
  const asked = modelRequest(run, request)
  const answer = await answered(run, request, asked)
  const { choices, model, usage, isUsageEstimated } = answer
  const stored: StoredReply = {
    message: { content: '', ...choices[0]?.message, role: 'assistant' },
    finish_reason: choices[0]?.finish_reason ?? 'stop',
    model,
    usage,
    used: callUsage(asked, answer),
  }
  const step = stepOf(run, request, stored, { startedAt, durationMs: run.clock.elapsed() - startedMs })
  const reply = count(run, request.agent, stored, isUsageEstimated)
  // Committed with the opening of the calls that it asks for: resumed, the turn must ask for the same.
  if (stored.message['tool_calls']) run.journal.writeWithNext(step)
  else run.journal.writeBehind(step)
  return reply
}

function count(run: AgentRun, agent: AgentProfile, stored: StoredReply, isEstimated: boolean): ModelReply {
  const { message, finish_reason, model, usage } = stored
  run.budget.spend(usage, isEstimated)
  const used = stored.used ?? callUsage(run, { model, usage, isUsageEstimated: isEstimated })
  run.report({ kind: 'used', calls: usedBy(agent, used) })
  run.report({ kind: 'model_answered', model })
  return { message, text: typeof message.content === 'string' ? message.content : '', finishReason: finish_reason }
}

function usedBy({ name, version }: AgentProfile, used: CallUsage): UsedCalls {
  return { ...used, agent: name, agentVersion: version ?? null }
}

function stepOf(
  run: AgentRun,
  { path, n }: ModelCallRequest,
  result: StoredReply,
  times: Pick<Step, 'startedAt' | 'durationMs'>,
): Step {
  return {
    turnId: run.turnId,
    path,
    n,
    workspaceId: run.workspaceId,
    conversationId: run.conversationId,
    kind: 'model',
    status: 'succeeded',
    name: result.model,
    callId: null,
    digest: modelDigest,
    request: undefined,
    result,
    promptTokens: result.usage.prompt_tokens,
    completionTokens: result.usage.completion_tokens,
    errorCode: null,
    ...times,
  }
}

/** What a call that failed has cost is spent all the same. @throws ModelError */
async function answered(run: AgentRun, request: ModelCallRequest, asked: ModelRequest): Promise<ModelAnswer> {
  try {
    const answer = await modelAnswer(run.transport, asked, request.sink && wordsOnly(request.sink))
    if (answer.attempts) run.report({ kind: 'endpoints_asked', attempts: answer.attempts })
    return answer
  } catch (error) {
    if (error instanceof ModelError && error.attempts) run.report({ kind: 'endpoints_asked', attempts: error.attempts })
    if (error instanceof ModelError && error.usage) {
      const { usage, isUsageEstimated, attempts } = error
      run.budget.spend(usage, isUsageEstimated)
      const used = callUsage(asked, {
        model: error.model ?? (asked.routedModel || asked.model),
        usage,
        isUsageEstimated,
        attempts,
      })
      run.report({ kind: 'used', calls: usedBy(request.agent, used) })
    }
    throw error
  }
}

/** Of a step the reader is sent the words; the model's calls of our tools, and the end of the step, are ours. */
function wordsOnly(sink: AnswerSink): AnswerSink {
  return {
    delta(delta) {
      const words = wordsIn(delta)
      return words ? sink.delta(words) : true
    },
    onRoom: (resume) => sink.onRoom(resume),
  }
}

/** Some endpoints send more beside the words, such as their likelihoods. */
function wordsIn(delta: ModelDelta): ModelDelta | undefined {
  if (delta.kind === 'model') return delta
  if (delta.kind === 'text') return delta.choice === 0 ? delta : undefined
  if (delta.kind !== 'raw' || delta.choice !== 0) return undefined
  const { content } = delta.delta
  return typeof content === 'string' && content !== '' ? { kind: 'text', choice: 0, text: content } : undefined
}

function modelRequest(run: AgentRun, { n, agent, messages, tools }: ModelCallRequest): ModelRequest {
  const { definition } = agent
  const { tools: _tools, tool_choice: choice, parallel_tool_calls: isParallel, n: _n, ...parameters } = run.parameters
  const hasTools = tools.length > 0
  return {
    model: run.model,
    ...withoutUndefined({ routedModel: definition.model || run.routedModel }),
    messages,
    parameters: {
      ...withoutUndefined({
        temperature: definition.temperature,
        top_p: definition.top_p,
        max_tokens: definition.max_tokens,
        reasoning_effort: definition.reasoning_effort,
      }),
      ...parameters,
      ...(hasTools && {
        tools: tools.map(declarationOf),
        ...withoutUndefined({
          // A call that must be made is made in the first step; later ones may answer.
          tool_choice: n === 0 ? choice : undefined,
          parallel_tool_calls: isParallel,
        }),
      }),
    },
    // Whoever is told no tools answers, and nothing follows in which it would think on.
    ...(hasTools && { keepsReasoning: true }),
    signal: run.signal,
    ...(run.trace && { trace: run.trace }),
  }
}

function withoutUndefined(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function declarationOf(tool: Tool | ClientTool): object {
  if ('definition' in tool) return tool.definition
  const { name, description, parameters } = tool
  return { type: 'function', function: { name, description, parameters } }
}
