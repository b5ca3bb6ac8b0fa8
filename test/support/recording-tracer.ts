/** A tracer that keeps its spans in order of their start, each with its parent's name. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { TraceContext, Tracer } from '../../runtime/telemetry/trace.ts'

export interface RecordedSpan {
  name: string
  parent: string | undefined
  error?: string
  isEnded: boolean
}

export function recordingTracer(): { tracer: Tracer; spans: RecordedSpan[] } {
  const spans: RecordedSpan[] = []
  const storage = new AsyncLocalStorage<TraceContext | undefined>()
  const tracer: Tracer = {
    isEnabled: true,
    span(name, parent = storage.getStore()) {
      const span: RecordedSpan = { name, parent: parent && spans[Number(parent.spanId)]?.name, isEnded: false }
      spans.push(span)
      return {
        context: { traceId: 'trace', spanId: String(spans.length - 1), flags: 1 },
        set() {},
        fail(error) {
          span.error = error instanceof Error ? error.message : String(error)
        },
        end() {
          span.isEnded = true
        },
      }
    },
    current: () => storage.getStore(),
    inSpan: (context, work) => storage.run(context, work),
  }
  return { tracer, spans }
}
