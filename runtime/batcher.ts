/**
 * Group commit: many callers, one statement, flushed whenever a flusher is free. There is no timer where somebody waits
 * for the rows (a linger halves throughput). Where nobody waits, a linger makes few large flushes of many small ones.
 */
import { Failure } from './failure.ts'
import type { TraceContext, Tracer } from './telemetry/trace.ts'
import type { Clock, Timer } from './time/clock.ts'

export interface BatchLimits {
  /** Rows in one flush. */
  rowsMax: number
  /** Flushes under way at once. */
  flushersMax: number
  /** Rows that wait for a flusher; past it `add` rejects with BatchFull. */
  waitingMax: number
  /**
   * For rows that come one by one, each with somebody waiting: a flush begins inside `add`. Only after a flush of at least
   * `crowdRows` rows, the next begins no sooner than `ms` later. So a lone row leaves at once, and a crowd in few flushes.
   */
  pace?: { ms: number; clock: Clock }
  /** A flush waits this long for more rows, unless `rowsMax` have come, the batch closes or `flushed` is called. */
  linger?: { ms: number; clock: Clock }
}

export interface Batcher<Row, Result> {
  /** @throws BatchFull past `waitingMax`, BatchClosed after `close`, or what the flush of this row threw */
  add(row: Row): Promise<Result>
  /** Resolves when every row added before this call is settled. */
  flushed(): Promise<void>
  /** Takes no more rows and flushes those that wait. */
  close(): Promise<void>
  readonly waiting: number
}

export class BatchFull extends Failure {
  readonly code = 'batch_full'
  override readonly isOutage = true
  constructor(waitingMax: number) {
    super(`${waitingMax} rows wait to be written and no more are taken`)
  }
}

export class BatchClosed extends Failure {
  readonly code = 'batch_closed'
  override readonly isOutage = true
  constructor() {
    super('the batch writer is closed')
  }
}

/** As a row's result: this row fails, the others of its flush do not. */
export class RowFailed {
  readonly error: unknown
  constructor(error: unknown) {
    this.error = error
  }
}

/** The span of a flush is a child of its first row's trace and links to the others. */
export interface BatchTracing {
  tracer: Tracer
  name: string
}

/** So many rows in one flush show that more are on their way. */
const crowdRows = 4

/** Fewer rows than twice this are not divided between free flushers. */
const shareRowsMin = 16

/** A span with hundreds of links is of no use. */
const linksMax = 32

interface Caller<Result> {
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * @param flush returns one result for each row, in order. What it throws rejects the rows of that flush and no others.
 */
export function batcher<Row, Result>(
  flush: (rows: Row[]) => Promise<(Result | RowFailed)[]>,
  limits: BatchLimits,
  tracing?: BatchTracing,
): Batcher<Row, Result> {
  const { rowsMax, flushersMax, waitingMax, pace, linger } = limits
  const traced = tracing?.tracer.isEnabled ? tracing : undefined
  let rows: Row[] = []
  let callers: Caller<Result>[] = []
  let traces: (TraceContext | undefined)[] = []
  const inFlight = new Set<Promise<void>>()
  let added = 0
  let begun = 0
  let isScheduled = false
  let lingering: Timer | undefined
  let crowdFlushedMs = Number.NEGATIVE_INFINITY
  let isClosed = false

  function add(row: Row): Promise<Result> {
    if (isClosed) return Promise.reject(new BatchClosed())
    if (rows.length >= waitingMax) return Promise.reject(new BatchFull(waitingMax))
    return new Promise((resolve, reject) => {
      rows.push(row)
      callers.push({ resolve, reject })
      if (traced) traces.push(traced.tracer.current())
      added++
      if (inFlight.size < flushersMax) schedule()
    })
  }

  function schedule(): void {
    if (linger && rows.length < rowsMax && !isClosed) {
      lingering ??= linger.clock.after(linger.ms, startFlushers)
      return
    }
    if (pace) {
      const waitMs = crowdFlushedMs + pace.ms - pace.clock.elapsed()
      if (waitMs <= 0 || rows.length >= rowsMax || isClosed) startFlushers()
      else lingering ??= pace.clock.after(waitMs, startFlushers)
      return
    }
    if (isScheduled) return
    isScheduled = true
    // A microtask later: rows added in one run share a flush.
    queueMicrotask(startFlushers)
  }

  function startFlushers(): void {
    isScheduled = false
    lingering?.cancel()
    lingering = undefined
    if (pace && rows.length >= crowdRows) crowdFlushedMs = pace.clock.elapsed()
    while (rows.length > 0 && inFlight.size < flushersMax) {
      const flight = flushNext()
      inFlight.add(flight)
      void flight.then(() => {
        inFlight.delete(flight)
        if (rows.length > 0) schedule()
      })
    }
  }

  /** Never rejects: a failure reaches the callers of its rows. */
  async function flushNext(): Promise<void> {
    const batch = rows
    const waiting = callers
    const contexts = traces
    // An even share for each free flusher: one flush with all rows would leave the others nothing to do.
    const share = Math.max(shareRowsMin, Math.ceil(batch.length / (flushersMax - inFlight.size)))
    const size = Math.min(rowsMax, share)
    rows = batch.length > size ? batch.splice(size) : []
    callers = waiting.length > size ? waiting.splice(size) : []
    traces = contexts.length > size ? contexts.splice(size) : []
    begun += batch.length
    try {
      const results = await (traced ? flushTraced(traced, batch, contexts) : flush(batch))
      if (results.length !== waiting.length)
        throw new RangeError(`${results.length} results for ${waiting.length} rows`)
      for (const [at, result] of results.entries()) {
        if (result instanceof RowFailed) waiting[at]?.reject(result.error)
        else waiting[at]?.resolve(result)
      }
    } catch (error) {
      for (const caller of waiting) caller.reject(error)
    }
  }

  async function flushTraced({ tracer, name }: BatchTracing, batch: Row[], contexts: (TraceContext | undefined)[]) {
    const [first, ...others] = contexts.filter((context) => context !== undefined)
    const span = tracer.span(name, first, { 'batch.rows': batch.length }, others.slice(0, linksMax))
    try {
      return await tracer.inSpan(span.context, () => flush(batch))
    } catch (error) {
      span.fail(error)
      throw error
    } finally {
      span.end()
    }
  }

  async function flushed(): Promise<void> {
    const upTo = added
    startFlushers()
    while (begun < upTo) {
      await Promise.race(inFlight)
      startFlushers()
    }
    await Promise.all(inFlight)
  }

  return {
    add,
    flushed,
    close() {
      isClosed = true
      return flushed()
    },
    get waiting() {
      return rows.length
    },
  }
}
