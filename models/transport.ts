/** Requests to a model and its answers, whichever transport carries them: plain data but for the signal and the sink. */
import type { FailureCode } from '../runtime/failure.ts'
import type { TraceContext } from '../runtime/telemetry/trace.ts'

/** A message as the chat-completions convention has it; unknown fields are passed on as they came. */
export interface ChatMessage {
  role: string
  content?: string | readonly ContentPart[] | null
  [field: string]: unknown
}

export interface ContentPart {
  type: string
  [field: string]: unknown
}

export interface ModelRequest {
  /** What the client named; a transport with a model of its own configured sends that instead. */
  model: string
  /** The model that the agent or the router chose for this turn: wins over both. Blank or absent: none. */
  routedModel?: string
  messages: readonly ChatMessage[]
  /** Everything else of the client's body, passed through. */
  parameters: Readonly<Record<string, unknown>>
  /** True: the model's reasoning is sent back in its next call of the same turn, sealed as the endpoint gave it. */
  keepsReasoning?: boolean
  /** What only an endpoint of the responses style is sent besides. */
  responsesParameters?: Readonly<Record<string, unknown>>
  /** In place of the settings', where there is another endpoint to go to, or was. */
  limits?: Partial<CallShare>
  /** Aborted: the call to the model is cut off at once and rejects with a ModelError `cancelled`. */
  signal: AbortSignal
  trace?: TraceContext
}

/** One endpoint's share of a call. */
export interface CallShare {
  retriesMax: number
  /** Between two attempts: an endpoint that asks for more is given up. */
  waitMsMax: number
  /** What is left of the call's time. */
  timeoutMs: number
}

/** What one of several endpoints was asked, and what came of it. */
export interface EndpointAttempt {
  endpoint: string
  model: string
  /** Absent: it answered. */
  code?: FailureCode
  /** The HTTP status of its failure. */
  status?: number
  tookMs: number
}

/** Tokens as the convention counts them; details (cached, reasoning, audio) as the model gave them. */
export interface Usage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  [detail: string]: unknown
}

/** A piece of a streamed answer. `choice` is the index that the model gave. */
export type ModelDelta =
  /** Before all others: the answer has begun, and this model gives it. Again where the model's name or more fields come late. */
  | { kind: 'model'; model: string; extra: Record<string, unknown> }
  /** `pieces`: the text again, in JSON's escapes and cut as the model sent it. Who changes the text leaves them out. */
  | { kind: 'text'; choice: number; text: string; pieces?: readonly string[] }
  /** tool_calls, reasoning_content, refusal, audio, anything else: the delta as it came, its content included. */
  | { kind: 'raw'; choice: number; delta: Record<string, unknown>; logprobs?: unknown; fields?: ChoiceFields }
  | { kind: 'finish'; choice: number; finishReason: string }

/** What a model adds to a choice beside the convention's fields, such as a filter's verdict. */
export type ChoiceFields = Record<string, unknown>

/** Called synchronously, in order: one promise a delta would cost more than the delta. */
export interface DeltaSink {
  /** False: the reader is slow. The delta was taken; the rest of the network read follows, then nothing until `resume`. */
  delta(delta: ModelDelta): boolean
}

/** What is known at the end of an answer besides its content. */
export interface ModelEnd {
  model: string
  usage: Usage
  /** True: the model sent no count and a tokenizer estimated it. */
  isUsageEstimated: boolean
  /** Fields of the answer that a client may want: system_fingerprint, service_tier, and what else the model added. */
  extra: Record<string, unknown>
  /** Where there are several endpoints: those that were asked, in order; the last one answered. */
  attempts?: readonly EndpointAttempt[]
}

export interface ModelCall {
  /** Resolves at the end of the model's stream. @throws ModelError */
  readonly done: Promise<ModelEnd>
  /** The reader has room again. */
  resume(): void
}

export interface ModelChoice {
  index: number
  message: Record<string, unknown>
  finish_reason: string | null
  [field: string]: unknown
}

export interface ModelAnswer extends ModelEnd {
  /** As the model gave them: logprobs, tool_calls, reasoning fields included. */
  choices: ModelChoice[]
}

/** What a transport can carry at all; whether one model takes it is another matter. */
export interface Capabilities {
  /** `tools`, and messages with calls and results. */
  tools: boolean
  /** `reasoning_effort`. */
  reasoningEffort: boolean
  /** `n` above one. */
  severalChoices: boolean
}

export interface ModelTransport {
  /** For logs and lists: never holds a credential. */
  readonly name: string
  /** Absent: it carries everything. */
  readonly capabilities?: Capabilities
  /** False: this model has refused tools, and gets none for a while. Absent: no model has. */
  supportsTools?(model: string): boolean
  /** Starts at once. Deltas reach `sink` until `done` settles, never after. */
  stream(request: ModelRequest, sink: DeltaSink): ModelCall
  /** @throws ModelError */
  complete(request: ModelRequest): Promise<ModelAnswer>
  /** Takes no more calls; resolves when those under way have ended. */
  close(): Promise<void>
}
