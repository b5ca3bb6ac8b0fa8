/** Sends log lines as OTLP records. It reads the tail of the log, whose lines are redacted and bounded, and never slows it. */
import { ROOT_CONTEXT, trace } from '@opentelemetry/api'
import type { AnyValueMap, Logger, LogRecord } from '@opentelemetry/api-logs'
import type { LogTail, TailLine } from '../log/tail.ts'

export interface LogFeed {
  /** Sends the lines that are still in the tail, then no more. */
  close(): void
}

/** Lines sent in one turn of the event loop: telemetry must not delay the work. */
const linesPerTurn = 200

export function feedLogs(tail: LogTail, logger: Logger): LogFeed {
  let seq = 0
  let scheduled: NodeJS.Immediate | undefined
  let missed = 0

  const subscription = tail.subscribe(wake)
  wake()

  function wake(): void {
    scheduled ??= setImmediate(() => {
      scheduled = undefined
      sendPage()
      subscription.rearm(seq)
    })
  }

  function sendPage(): boolean {
    const page = tail.since(seq, linesPerTurn)
    missed += page.missed
    for (const line of page.lines) {
      seq = line.seq
      logger.emit(record(line))
    }
    if (missed > 0 && page.lines.length > 0) {
      logger.emit({
        severityNumber: 13,
        severityText: 'warn',
        body: 'log lines were dropped before they were sent',
        attributes: { missed },
      })
      missed = 0
    }
    return page.lines.length === linesPerTurn
  }

  return {
    close() {
      subscription.close()
      if (scheduled) clearImmediate(scheduled)
      while (sendPage());
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
