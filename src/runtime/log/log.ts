/** Structured logs: one JSON object a line on standard output, without secrets, the newest kept in memory. */
import { type DestinationStream, destination, type Logger, type LoggerOptions, pino } from 'pino'
import { redactLine, redactValue } from './redact.ts'
import type { LogTail } from './tail.ts'

export type Log = Logger

export interface LogOptions {
  level: string
  /** Where lines go; standard output when absent. */
  out?: DestinationStream
  tail?: LogTail
}

/** Longer lines are cut: one runaway object must not fill the disk. */
const lineCharactersMax = 32_768

export interface OpenLog {
  log: Log
  /** Writes what is buffered, at once. For the last line before an exit. */
  flush(): void
}

export function openLog({ level, out, tail }: LogOptions): OpenLog {
  const standardOut = out ? undefined : destination({ dest: 1, sync: false })
  const sink = out ?? standardOut
  const lines: DestinationStream = {
    write(line) {
      const safe = redactLine(line.length > lineCharactersMax ? cut(line) : line)
      tail?.push(safe)
      sink?.write(safe)
    },
  }
  return {
    log: pino(settings(level), lines),
    flush() {
      try {
        standardOut?.flushSync()
      } catch {
        // Not open yet, or closed at the other end: there is nowhere left to say so.
      }
    },
  }
}

function settings(level: string): LoggerOptions {
  return {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: {
      level: (label) => ({ level: label }),
      log: (fields) => redactValue(fields) as Record<string, unknown>,
    },
  }
}

/** A cut line is still one JSON object. */
function cut(line: string): string {
  const { level, time, msg } = JSON.parse(line) as { level: string; time: string; msg?: string }
  return `${JSON.stringify({ level, time, msg: String(msg ?? '').slice(0, 2_000), cutFromCharacters: line.length })}\n`
}
