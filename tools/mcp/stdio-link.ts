/**
 * A server that is our child process, with messages on its standard input and output. We do not use the SDK's transport
 * for this: it does not end the process's children, choose the environment or limit floods.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { McpConnectionFailed, systemCode } from './connection-failed.ts'
import { flowLimit } from './flow-limit.ts'
import { lineSplitter } from './line-splitter.ts'
import type { Link, LinkDependencies } from './link.ts'
import { checkShape } from './message-shape.ts'
import { endGroup, signalGroup } from './process-group.ts'
import type { StdioDescription } from './server-description.ts'

/** What a process needs to find its programs and files; our other variables may contain secrets. */
const inherited = ['PATH', 'HOME', 'LANG']

/** The end of standard error, which says why the process ended. More is stored than is reported, so that no half of a secret escapes redaction. */
const stderrTailLengthMax = 8_192
const clueLengthMax = 500

/** After the end of a process, to read what is still in its pipes. */
const drainMs = 1_000

export function openStdioLink(server: StdioDescription, dependencies: LinkDependencies): Link {
  const { limits, clock } = dependencies
  let child: ChildProcessWithoutNullStreams | undefined
  let stderrTail = ''
  let isBroken = false
  let ended: Promise<void> | undefined

  function broken(problem: McpConnectionFailed): void {
    if (isBroken || ended) return
    isBroken = true
    dependencies.onBroken(problem)
  }

  function end(): Promise<void> {
    ended ??= endChild().finally(() => transport.onclose?.())
    return ended
  }

  async function endChild(): Promise<void> {
    if (child?.pid === undefined) return
    await endGroup(child, limits.closeGraceMs, clock)
    // A descendant that left the group may keep the pipes open; we stop reading them.
    for (const stream of child.stdio) stream?.destroy()
  }

  function listen(started: ChildProcessWithoutNullStreams): void {
    function hasEnded(): void {
      const { exitCode, signalCode } = started
      const clue = dependencies.redact(stderrTail).trim().slice(-clueLengthMax)
      const how = signalCode ?? `code ${exitCode}`
      broken(new McpConnectionFailed('ended', `its process ended with ${how}${clue === '' ? '' : `: ${clue}`}`))
    }
    // A running process emits this only when a signal to it fails; its exit is handled below.
    started.on('error', (error) => transport.onerror?.(error))
    started.once('exit', () => {
      // Its children would keep its pipes open. Descendants that left the group are not waited for.
      signalGroup(started, 'SIGKILL')
      const late = clock.after(drainMs, hasEnded)
      started.once('close', () => {
        late.cancel()
        hasEnded()
      })
    })
    started.stdin.on('error', () => undefined) // it is gone: its exit says so
    started.stderr.setEncoding('utf8').on('data', (words: string) => {
      stderrTail = (stderrTail + words.slice(-stderrTailLengthMax)).slice(-stderrTailLengthMax)
    })
    readMessages(started, transport, dependencies, broken)
  }

  const transport: Transport = {
    async start() {
      const started = spawnServer(server)
      child = started
      await new Promise<void>((resolve, reject) => {
        started.once('spawn', resolve)
        started.once('error', (error) => reject(cannotStart(error)))
      })
      listen(started)
    },
    async send(message) {
      if (!child?.stdin.writable) throw new McpConnectionFailed('ended', 'its process has ended')
      if (child.stdin.writableLength > limits.unreadBytesMax) {
        const problem = new McpConnectionFailed(
          'does_not_read',
          `it left ${limits.unreadBytesMax} bytes of its input unread`,
        )
        broken(problem)
        throw problem
      }
      child.stdin.write(`${JSON.stringify(message)}\n`)
    },
    close: end,
  }
  return { transport, end }
}

/** @throws McpProblem for arguments that no process can be started with */
function spawnServer(server: StdioDescription): ChildProcessWithoutNullStreams {
  try {
    return spawn(server.command, server.args, {
      env: environmentOf(server),
      ...(server.cwd !== undefined && { cwd: server.cwd }),
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
  } catch (error) {
    throw cannotStart(error)
  }
}

function readMessages(
  child: ChildProcessWithoutNullStreams,
  transport: Transport,
  { limits, clock }: LinkDependencies,
  broken: (problem: McpConnectionFailed) => void,
): void {
  const lines = lineSplitter(limits.messageBytesMax)
  const flow = flowLimit(limits.flow, clock)
  let strayLines = 0

  function take(line: string): void {
    if (line.trim() === '') return
    checkShape(line)
    const parsed = jsonIn(line)
    if (isIgnoredNotification(parsed)) return
    const message = JSONRPCMessageSchema.safeParse(parsed).data
    if (message) transport.onmessage?.(message)
    else if (++strayLines > limits.strayLinesMax)
      throw new McpConnectionFailed('not_mcp', 'its standard output is not a stream of MCP messages')
  }

  child.stdout.on('data', (piece: Buffer) => {
    try {
      const complete = lines.push(piece)
      flow.take(piece.length, complete.length)
      for (const line of complete) take(line)
    } catch (error) {
      child.stdout.destroy()
      const unfit = () => new McpConnectionFailed('not_mcp', 'it sent a message that cannot be read', { cause: error })
      broken(error instanceof McpConnectionFailed ? error : unfit())
    }
  })
}

function jsonIn(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined // not JSON: the caller counts it
  }
}

/** Progress, log lines, changed resources: the SDK would parse these and then drop them. */
function isIgnoredNotification(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('method' in value) || 'id' in value) return false
  const { method } = value
  return typeof method === 'string' && /^notifications\/(progress|message|resources\/|prompts\/)/.test(method)
}

function cannotStart(error: unknown): McpConnectionFailed {
  const code = systemCode(error)
  const hint = code === 'ENOENT' ? ': its command or its working directory does not exist' : ''
  return new McpConnectionFailed('cannot_start', `its process cannot be started (${code})${hint}`)
}

function environmentOf(server: StdioDescription): Record<string, string> {
  const inheritedVariables = inherited.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(inheritedVariables), ...server.env }
}
