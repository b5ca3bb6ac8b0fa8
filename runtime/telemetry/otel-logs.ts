/** Passes the lines of the log on as OTLP records. It reads the log's tail: redacted already, bounded, and never in the way. */
import { ROOT_CONTEXT, trace } from '@opentelemetry/api'
import type { AnyValueMap, Logger, LogRecord } from '@opentelemetry/api-logs'
import type { LogTail, TailLine } from '../log/tail.ts'

export interface LogFeed {
  /** Passes on what the tail still holds, then no more. */
  close(): void
}

/** Lines of one turn of the loop: telemetry waits for the work, not the other way round. */
const linesOfTurn = 200

export function feedLogs(tail: LogTail, logger: Logger): LogFeed {
  let seq = 0
  let scheduled: NodeJS.Immediate | undefined
  let missed = 0

  const subscription = tail.subscribe(wake)
  wake()

  function wake(): void {
    scheduled ??= setImmediate(() => {
      scheduled = undefined
      passOn()
      subscription.rearm(seq)
    })
  }

  function passOn(): boolean {
    const page = tail.since(seq, linesOfTurn)
    missed += page.missed
    for (const line of page.lines) {
      seq = line.seq
      logger.emit(record(line))
    }
    if (missed > 0 && page.lines.length > 0) {
      logger.emit({
        severityNumber: 13,
        severityText: 'warn',
        body: 'log lines were not passed on',
        attributes: { missed },
      })
      missed = 0
    }
    return page.lines.length === linesOfTurn
  }

  return {
    close() {
      subscription.close()
      if (scheduled) clearImmediate(scheduled)
      while (passOn());
    },
  }
}

/** pino counts levels by ten from trace, OpenTelemetry by four. */
function severity(level: number): number {
  return Math.max(1, Math.min(21, (Math.round(level / 10) - 1) * 4 + 1))
}

function record({ level, time, line }: TailLine): LogRecord {
  const { level: severityText, time: _, msg, traceId, spanId, ...attributes } = parsed(line)
  const isTraced = typeof traceId === 'string' && typeof spanId === 'string'
  return {
    timestamp: time,
    severityNumber: severity(level),
    severityText: String(severityText),
    body: typeof msg === 'string' ? msg : '',
    attributes: attributes as AnyValueMap,
    ...(isTraced && { context: trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: 1 }) }),
  }
}

function parsed(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    return { msg: line }
  }
}
