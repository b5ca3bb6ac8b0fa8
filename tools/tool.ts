/** What a tool is: a typed definition that an agent's model may call, and the context that it runs in. */
import { z } from 'zod'
import type { Settings } from '../config/settings.ts'
import { Failure, type FailureCode } from '../runtime/failure.ts'
import type { Log } from '../runtime/log/log.ts'
import type { Resolve } from '../runtime/network/judge.ts'
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
  /** The service's own database, for the audit log. */
  db?: Database
}

/** For tools that call other hosts. */
export interface OutgoingToolDependencies extends ToolDependencies {
  /** Names to addresses, with a limit that the whole service shares. */
  resolve: Resolve
}

/** What one call gets. */
export interface ToolContext {
  workspaceId: WorkspaceId
  turnId: TurnId
  /** Null: the call belongs to no stored conversation. */
  conversationId: ConversationId | null
  /** The same after every restart of the turn: an external service can recognise a repeated call by it. */
  callKey: string
  /** Aborts when the turn is cancelled and at the tool's time limit. */
  signal: AbortSignal
  log: Log
  clock: Clock
  turn: ToolCapabilities
}

/** What only the turn itself can do for a tool. */
export interface ToolCapabilities {
  /** Runs a sub-agent to its end. @returns its answer. @throws ToolFailed */
  delegate(agent: string, task: string): Promise<string>
  /** Sends a message to the person of this conversation, by the outbox. @throws ToolFailed where nothing can be delivered */
  messageUser(text: string): Promise<void>
  /** Finds tools that the model does not know yet; it is told of them for the rest of the turn. */
  reveal(query: string): readonly Pick<Tool, 'name' | 'description'>[]
  /** The full result of a call of this turn of which the model got only a part. @returns undefined: there is no such call */
  result(callId: string): Promise<string | undefined>
}

export interface Tool {
  /** `a-z`, `A-Z`, digits, `_` and `-`; at most 64. */
  readonly name: string
  /** For the model: what it does, when to use it. */
  readonly description: string
  /** JSON schema of the arguments, for the model. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly risk: Risk
  readonly idempotency: Idempotency
  /** Of one call; then its signal aborts and the model gets a failure. */
  readonly timeoutMs: number
  /** True: its results were written by strangers, and are marked as such for the model. */
  readonly isUntrusted: boolean
  /** True: it reaches files, processes, the network or credentials of the installation, and is granted to workspaces. */
  readonly needsGrant: boolean
  /** Checks the arguments. @returns the call, or what is wrong with them, so that the model can correct it */
  prepare(args: unknown): PreparedCall | { problem: string }
  /** Closes its pools, connections and processes. */
  close?(): Promise<void>
}

export interface PreparedCall {
  /** @returns the result for the model. @throws ToolFailed for what the model can act on; anything else is a defect of ours */
  run(context: ToolContext): Promise<string>
}

/** Makes the tool. @returns undefined: the settings leave it off */
export type ToolMaker = (dependencies: OutgoingToolDependencies) => Tool | undefined

/** A failure whose message goes to the model, which can act on it. It never contains a secret. */
export class ToolFailed extends Failure {
  readonly code: FailureCode
  constructor(code: FailureCode, message: string, options?: { cause?: unknown }) {
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
  needsGrant?: boolean
  run(context: ToolContext, args: z.output<Schema>): Promise<string>
  close?(): Promise<void>
}

export function defineTool<Schema extends z.ZodType>(definition: ToolDefinition<Schema>): Tool {
  const {
    name,
    description,
    risk,
    idempotency,
    timeoutMs,
    isUntrusted = false,
    needsGrant = false,
    run,
    close,
  } = definition
  const { $schema: _, ...parameters } = z.toJSONSchema(definition.arguments, { io: 'input' }) as Record<string, unknown>
  return {
    name,
    description,
    parameters,
    risk,
    idempotency,
    timeoutMs,
    isUntrusted,
    needsGrant,
    prepare(args) {
      const parsed = definition.arguments.safeParse(args)
      if (!parsed.success) return { problem: problemIn(parsed.error) }
      return { run: (context) => run(context, parsed.data) }
    },
    ...(close && { close }),
  }
}

/** A line for each problem, with the path of the argument. */
function problemIn(error: z.ZodError): string {
  return error.issues
    .map(({ path, message }) => `${path.length > 0 ? path.join('.') : 'arguments'}: ${message}`)
    .join('\n')
}
