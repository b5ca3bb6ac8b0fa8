/** Passes what the server writes to its standard error on to our log. */
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Log } from '../../runtime/log/log.ts'

type Level = 'debug' | 'warn' | 'error'

/** Lines logged in one window: a server that complains about every statement must not fill the disk. */
const linesMax = 50
const windowMs = 10_000
const lastLinesMax = 10

/** @returns reads the last lines: they say why a start failed */
export function followServerLog(stream: Readable, log: Log): () => string[] {
  const lastLines: string[] = []
  let windowEnd = 0
  let count = 0
  createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
    const { level, text } = serverLine(line)
    lastLines.push(text)
    if (lastLines.length > lastLinesMax) lastLines.shift()
    const now = performance.now()
    if (now > windowEnd) {
      if (count > linesMax) log.warn({ lines: count - linesMax }, 'postgres: further lines were left out')
      windowEnd = now + windowMs
      count = 0
    }
    if (++count <= linesMax) log[level](`postgres: ${text}`)
  })
  return () => [...lastLines]
}

/** Parses `client backend|ERROR:  text`, as our log_line_prefix makes it. Other lines come from elsewhere, such as a library. */
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
      // The client gets the error itself. A server that starts or stops refuses its clients as it should.
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
