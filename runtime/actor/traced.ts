/** One span around a handler, ended when its result is there. */
import type { Span, Tracer } from '../telemetry/trace.ts'

export function traced(tracer: Tracer, span: Span, handle: () => unknown): unknown {
  return tracer.inSpan(span.context, () => {
    let result: unknown
    try {
      result = handle()
    } catch (error) {
      span.fail(error)
      span.end()
      throw error
    }
    if (!(result instanceof Promise)) {
      span.end()
      return result
    }
    return result.then(
      (value) => {
        span.end()
        return value
      },
      (error) => {
        span.fail(error)
        span.end()
        throw error
      },
    )
  })
}
