/** One external server: connected in the background, its tools offered while it is connected, and reconnected when it is lost. */

import type { Log } from '../../runtime/log/log.ts'
import type { Outgoing } from '../../runtime/network/outgoing.ts'
import { systemRandom } from '../../runtime/random.ts'
import { type Backoff, fullJitter } from '../../runtime/time/backoff.ts'
import { type Clock, sleep, type Timer } from '../../runtime/time/clock.ts'
import type { Tool } from '../tool.ts'
import { type Call, toolCaller } from './call.ts'
import { type Connection, connect } from './connection.ts'
import { connectionFailureText } from './failure.ts'
import type { McpLimits } from './limits.ts'
import { type Redaction, redactionFor } from './secrets.ts'
import type { ServerDescription } from './server-description.ts'
import { toolFromListing } from './server-tool.ts'

export interface McpServerState {
  name: string
  transport: 'stdio' | 'http'
  status: 'connecting' | 'connected' | 'waiting' | 'closed'
  connectedSince: Date | null
  /** Names of its tools as agents know them. */
  tools: readonly string[]
  /** Why it could last not be reached, or its list not be read. Without secrets. */
  lastError: string | null
}

export interface McpServerDependencies {
  log: Log
  clock: Clock
  limits: McpLimits
  outgoing: Outgoing
  /** The list of tools has changed. */
  onChange(): void
}

export class McpServer {
  tools: readonly Tool[] = []
  readonly #description: ServerDescription
  readonly #dependencies: McpServerDependencies
  readonly #log: Log
  readonly #redaction: Redaction
  readonly #backoff: Backoff
  readonly #call: Call
  readonly #closing = new AbortController()
  readonly #life: Promise<void>
  #connection: Connection | undefined
  #status: McpServerState['status'] = 'connecting'
  #connectedSince: Date | null = null
  #lastError: string | null = null
  #refresh: Timer | undefined
  #isListing = false
  #lastLeftOut = ''
  /** On the clock's elapsed time; undefined: the last attempt failed. */
  #connectedSinceMs: number | undefined

  /** Begins to connect; returns at once. */
  constructor(description: ServerDescription, dependencies: McpServerDependencies) {
    const { limits, log } = dependencies
    this.#description = description
    this.#dependencies = dependencies
    this.#log = log.child({ mcpServer: description.name })
    this.#redaction = redactionFor(description)
    this.#backoff = fullJitter(limits.retryMinMs, limits.retryMaxMs)
    const connection = () => this.#connection
    this.#call = toolCaller({ server: description.name, limits, redaction: this.#redaction, connection })
    this.#life = this.#live()
  }

  get state(): McpServerState {
    return {
      name: this.#description.name,
      transport: this.#description.kind,
      status: this.#status,
      connectedSince: this.#connectedSince,
      tools: this.tools.map((tool) => tool.name),
      lastError: this.#lastError,
    }
  }

  /** Resolves when its session and its processes are ended. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the service is stopping'))
    await this.#life
  }

  async #live(): Promise<void> {
    const { clock, limits } = this.#dependencies
    const closing = this.#closing.signal
    for (let attempt = 1; !closing.aborted; attempt++) {
      this.#connectedSinceMs = undefined
      try {
        this.#failed(await this.#stayConnected())
      } catch (error) {
        this.#failed(error)
      }
      if (closing.aborted) break
      if (this.#connectedSinceMs !== undefined && clock.elapsed() - this.#connectedSinceMs >= limits.stableMs)
        attempt = 1
      this.#status = 'waiting'
      const pauseMs = Math.round(this.#backoff.delayMs(attempt, systemRandom))
      this.#log.warn({ why: this.#lastError, attempt, pauseMs }, 'an MCP server is unreachable and will be retried')
      await sleep(clock, pauseMs, closing).catch(() => undefined) // closing ends the pause, and then the loop
    }
    this.#status = 'closed'
  }

  /** @returns the reason for its end, when the connection is over. @throws the reason why there was none */
  async #stayConnected(): Promise<unknown> {
    const { clock, limits, outgoing } = this.#dependencies
    const closing = this.#closing.signal
    this.#status = 'connecting'
    const startedMs = clock.elapsed()
    const made = await connect(
      this.#description,
      { clock, limits, outgoing, redact: this.#redaction.record, onToolsChanged: () => this.#listSoon() },
      closing,
    )
    const over = aborted(AbortSignal.any([made.gone, closing]))
    try {
      this.#connection = made
      await Promise.race([this.#list(made), over])
      if (!made.gone.aborted && !closing.aborted) {
        this.#status = 'connected'
        this.#connectedSinceMs = clock.elapsed()
        this.#connectedSince = new Date(clock.now())
        const tookMs = Math.round(clock.elapsed() - startedMs)
        this.#log.info({ tools: this.tools.length, tookMs }, 'an MCP server is connected')
      }
      await over
      return made.gone.reason
    } catch (error) {
      throw made.gone.aborted ? made.gone.reason : error
    } finally {
      this.#connection = undefined
      this.#connectedSince = null
      this.#refresh?.cancel()
      this.#refresh = undefined
      this.#offer([])
      await made.end()
    }
  }

  async #list(from: Connection): Promise<void> {
    this.#isListing = true
    try {
      const { tools, leftOut } = await from.list()
      const why = [...new Set(leftOut)].join('; ')
      if (why !== '' && why !== this.#lastLeftOut)
        this.#log.warn({ leftOut: leftOut.length, why }, 'some tools of an MCP server are not offered')
      this.#lastLeftOut = why
      const { limits } = this.#dependencies
      if (!from.gone.aborted) this.#offer(tools.map((tool) => toolFromListing(tool, limits, this.#call)))
    } finally {
      this.#isListing = false
    }
  }

  /** However often a server reports a changed list, it is listed once per `refreshDelayMs`, and never twice at once. */
  #listSoon(): void {
    const { clock, limits } = this.#dependencies
    this.#refresh ??= clock.after(limits.refreshDelayMs, () => {
      this.#refresh = undefined
      const connection = this.#connection
      if (!connection) return
      if (this.#isListing) return this.#listSoon()
      this.#list(connection).catch((error: unknown) => {
        if (connection.gone.aborted) return // reported where the connection ends
        this.#failed(error)
        this.#log.warn(
          { why: this.#lastError },
          'the tools of an MCP server cannot be listed again: the old list stays',
        )
      })
    })
  }

  #offer(tools: readonly Tool[]): void {
    this.tools = tools
    this.#dependencies.onChange()
  }

  #failed(error: unknown): void {
    if (!this.#closing.signal.aborted) this.#lastError = connectionFailureText(error, this.#redaction.record)
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
