/** What a tool is: a typed definition that an agent's model may call, and what it sees while it runs. */
import { z } from 'zod'
import type { Settings } from '../config/settings.ts'
import type { Log } from '../runtime/log/log.ts'
import type { Metrics } from '../runtime/telemetry/metrics.ts'
import type { Tracer } from '../runtime/telemetry/trace.ts'
import type { Clock } from '../runtime/time/clock.ts'
import type { Database } from '../store/database.ts'
import type { ConversationId, TurnId, WorkspaceId } from '../store/id.ts'

/** read: changes nothing. write: changes something outside. host: runs code or touches the machine. */
export type Risk = 'read' | 'write' | 'host'

/** Whether a call that a crash cut short may be made again. */
export type Idempotency = 'repeatable' | 'once'

/** What tools are made with, once at start. */
export interface ToolDependencies {
  settings: Settings
  log: Log
  clock: Clock
  metrics?: Metrics
  tracer?: Tracer
  /** The service's own; what must be in the audit log is written to it. */
  db?: Database
}

/** What one call sees. */
export interface ToolContext {
  workspaceId: WorkspaceId
  turnId: TurnId
  /** Null: a call that belongs to no stored conversation. */
  conversationId: ConversationId | null
  /** The same through every restart of the turn: a service outside can tell a repeated call by it. */
  callKey: string
  /** Aborts when the turn is cancelled and when the tool's time is over. */
  signal: AbortSignal
  log: Log
  clock: Clock
  turn: ToolCapabilities
}

/** What only the turn itself can do for a tool. */
export interface ToolCapabilities {
  /** Runs a sub-agent to its end. @returns its answer. @throws ToolFailed */
  delegate(agent: string, task: string): Promise<string>
  /** Puts a message to the person of this conversation into the outbox. @throws ToolFailed where nothing can be delivered */
  messageUser(text: string): Promise<void>
  /** Tools that are not advertised yet and fit the words; they are advertised for the rest of the turn. */
  reveal(words: string): readonly Pick<Tool, 'name' | 'description'>[]
  /** The whole of what a call of this turn returned, where the model was told a part of it; undefined: no such call. */
  result(callId: string): Promise<string | undefined>
}

export interface Tool {
  /** `a-z`, `A-Z`, digits, `_` and `-`; at most 64. */
  readonly name: string
  /** What the model is told: what it does, when to use it. */
  readonly description: string
  /** JSON schema of the arguments, as the model is told. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly risk: Risk
  readonly idempotency: Idempotency
  /** Of one call; past it its signal aborts and the model is told. */
  readonly timeoutMs: number
  /** True: what it returns was written by strangers, and the model is told so. */
  readonly isUntrusted: boolean
  /** The call with its arguments checked, or what is wrong with them in words that the model can act on. */
  prepare(given: unknown): PreparedCall | { problem: string }
  /** Ends what it holds: pools, connections, processes. */
  close?(): Promise<void>
}

export interface PreparedCall {
  /** @returns what the model is told. @throws ToolFailed for what the model can act on; anything else is a defect of ours */
  run(context: ToolContext): Promise<string>
}

/** Makes the tool; undefined where the settings leave it off. */
export type ToolMaker = (dependencies: ToolDependencies) => Tool | undefined

/** A failure that the model hears in these words and can act on. Never holds a secret. */
export class ToolFailed extends Error {
  override readonly name = 'ToolFailed'
  readonly code: string
  /** @param code what went wrong in one short machine-readable word, for records: `refused_address`, `not_found` */
  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

interface ToolDefinition<Schema extends z.ZodType> {
  name: string
  description: string
  arguments: Schema
  risk: Risk
  idempotency: Idempotency
  timeoutMs: number
  isUntrusted?: boolean
  run(context: ToolContext, given: z.output<Schema>): Promise<string>
  close?(): Promise<void>
}

export function defineTool<Schema extends z.ZodType>(definition: ToolDefinition<Schema>): Tool {
  const { name, description, risk, idempotency, timeoutMs, isUntrusted = false, run, close } = definition
  const { $schema: _, ...parameters } = z.toJSONSchema(definition.arguments, { io: 'input' }) as Record<string, unknown>
  return {
    ...{ name, description, parameters, risk, idempotency, timeoutMs, isUntrusted },
    prepare(given) {
      const parsed = definition.arguments.safeParse(given)
      if (!parsed.success) return { problem: problemIn(parsed.error) }
      return { run: (context) => run(context, parsed.data) }
    },
    ...(close && { close }),
  }
}

/** Every problem in one line each, by the place where it is. */
function problemIn(error: z.ZodError): string {
  return error.issues
    .map(({ path, message }) => `${path.length > 0 ? path.join('.') : 'arguments'}: ${message}`)
    .join('\n')
}
