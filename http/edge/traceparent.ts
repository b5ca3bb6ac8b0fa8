/** Reads the W3C traceparent header (Trace Context level 1). */
import type { TraceContext } from '../../runtime/telemetry/trace.ts'

const shape = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Undefined for a malformed header: a new trace is begun then. */
export function parseTraceparent(header: string): TraceContext | undefined {
  const match = header === '' ? null : shape.exec(header)
  if (!match) return undefined
  const [, version, traceId = '', spanId = '', flags = '', rest] = match
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, flags: Number.parseInt(flags, 16) }
}
