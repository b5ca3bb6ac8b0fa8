/** `Tracer` on OpenTelemetry. The current context is kept as plain ids, as in messages, in an AsyncLocalStorage of ours. */
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import type { Span, TraceContext, Tracer } from './trace.ts'

export function otelTracer(tracer: OtelTracer): Tracer {
  const storage = new AsyncLocalStorage<TraceContext | undefined>()
  return {
    isEnabled: true,
    span(name, parent = storage.getStore(), attributes = {}, links = []) {
      const parentContext = parent ? trace.setSpanContext(ROOT_CONTEXT, spanContext(parent)) : ROOT_CONTEXT
      const span = tracer.startSpan(
        name,
        { attributes, links: links.map((link) => ({ context: spanContext(link) })) },
        parentContext,
      )
      return adapted(span)
    },
    current: () => storage.getStore(),
    inSpan: (context, work) => storage.run(context, work),
  }
}

function spanContext({ traceId, spanId, flags }: TraceContext) {
  return { traceId, spanId, traceFlags: flags }
}

function adapted(span: OtelSpan): Span {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return {
    context: { traceId, spanId, flags: traceFlags },
    set(attribute, value) {
      span.setAttribute(attribute, value)
    },
    fail(error) {
      span.recordException(error instanceof Error ? error : String(error))
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) })
    },
    end() {
      span.end()
    },
  }
}
