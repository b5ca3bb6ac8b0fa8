/** What the server writes to its standard error, as lines of our own log. */
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Log } from '../../runtime/log/log.ts'

type Level = 'debug' | 'warn' | 'error'

/** Lines of one window at most; a server that complains about every statement must not fill the disk. */
const linesMax = 50
const windowMs = 10_000
const keptMax = 10

/** @returns the last lines, to say why a start failed */
export function followServerLog(stream: Readable, log: Log): () => string[] {
  const kept: string[] = []
  let windowEnd = 0
  let count = 0
  createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
    const { level, text } = serverLine(line)
    kept.push(text)
    if (kept.length > keptMax) kept.shift()
    const now = performance.now()
    if (now > windowEnd) {
      if (count > linesMax) log.warn({ lines: count - linesMax }, 'postgres: further lines were left out')
      windowEnd = now + windowMs
      count = 0
    }
    if (++count <= linesMax) log[level](`postgres: ${text}`)
  })
  return () => [...kept]
}

/** `client backend|ERROR:  text`, by our log_line_prefix; anything else did not come from the server proper. */
export function serverLine(line: string): { level: Level; text: string } {
  const parts = /^([^|]*)\|([A-Z]+)\d?:\s+(.*)$/.exec(line)
  const [, process, severity, text] = parts ?? []
  if (process === undefined || severity === undefined || text === undefined) return { level: 'warn', text: line.trim() }
  return { level: levelOf(process, severity, text), text }
}

function levelOf(process: string, severity: string, text: string): Level {
  switch (severity) {
    case 'PANIC':
      return 'error'
    case 'FATAL':
      // A client is told itself; and while a server starts or stops, refusing clients is its duty.
      return process === 'client backend' ? 'debug' : 'error'
    case 'ERROR':
      return process === 'client backend' ? 'debug' : 'error'
    case 'WARNING':
      return 'warn'
    default:
      return /terminated by signal|terminating any other active|was interrupted|not properly shut down/.test(text)
        ? 'warn'
        : 'debug'
  }
}
