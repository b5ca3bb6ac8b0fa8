/** The tracing interface of all rooms. While tracing is off, it is the shared no-op below and costs nothing. */

/** The position of work in a trace, by its W3C Trace Context ids: plain data, so that messages can carry it. */
export interface TraceContext {
  traceId: string
  spanId: string
  flags: number
}

export interface Span {
  /** The parent of further spans; undefined while tracing is off. */
  readonly context: TraceContext | undefined
  set(attribute: string, value: string | number | boolean): void
  fail(error: unknown): void
  end(): void
}

export type SpanAttributes = Record<string, string | number | boolean>

export interface Tracer {
  readonly isEnabled: boolean
  /**
   * Starts a span under `parent`, or under the current context when none is given.
   * @param links other traces that this work also serves, as a batch does
   */
  span(name: string, parent?: TraceContext, attributes?: SpanAttributes, links?: readonly TraceContext[]): Span
  /** The context of the work that runs now (across awaits), where one was set by `within`. */
  current(): TraceContext | undefined
  /** Runs `work` with `context` as the current one. */
  inSpan<Result>(context: TraceContext | undefined, work: () => Result): Result
}

const noSpan: Span = { context: undefined, set() {}, fail() {}, end() {} }

export const noTracer: Tracer = {
  isEnabled: false,
  span: () => noSpan,
  current: () => undefined,
  inSpan: (_context, work) => work(),
}
