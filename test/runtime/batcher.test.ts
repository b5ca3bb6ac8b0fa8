import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BatchClosed, BatchFull, batcher } from '../../runtime/batcher.ts'
import { recordingTracer } from '../support/recording-tracer.ts'
import { virtualClock } from '../support/virtual-clock.ts'

const limits = { rowsMax: 3, flushersMax: 1, waitingMax: 6 }

/** A flush that the test lets go by hand. */
function heldFlush() {
  const flights: { rows: number[]; done: PromiseWithResolvers<number[]> }[] = []
  const flush = (rows: number[]): Promise<number[]> => {
    const done = Promise.withResolvers<number[]>()
    flights.push({ rows, done })
    return done.promise
  }
  const release = (at: number) => {
    const flight = flights[at]
    flight?.done.resolve(flight.rows.map((row) => row * 10))
  }
  return { flights, flush, release }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('batcher', () => {
  test('rows added together share a flush, and each caller gets its own result', async () => {
    const flushedBatches: number[][] = []
    const rows = batcher(async (batch: number[]) => {
      flushedBatches.push(batch)
      return batch.map((row) => row * 10)
    }, limits)
    expect(await Promise.all([rows.add(1), rows.add(2), rows.add(3)])).toEqual([10, 20, 30])
    expect(flushedBatches).toEqual([[1, 2, 3]])
  })

  test('a paced batcher flushes inside add; after a flush of many rows the next one waits', async () => {
    const clock = virtualClock()
    const pending = heldFlush()
    const rows = batcher(pending.flush, { rowsMax: 8, flushersMax: 1, waitingMax: 20, pace: { ms: 2, clock } })
    const flushes = () => pending.flights.map((flight) => flight.rows)
    for (let at = 0; at < 2; at++) {
      void rows.add(at)
      expect(flushes().at(-1)).toEqual([at])
      if (at === 1) for (const row of [2, 3, 4, 5]) void rows.add(row)
      pending.release(at)
      await settle()
    }
    expect(flushes().at(-1)).toEqual([2, 3, 4, 5])
    pending.release(2)
    await settle()

    void rows.add(6)
    await clock.advance(1)
    void rows.add(7)
    expect(flushes()).toHaveLength(3)
    await clock.advance(1)
    expect(flushes().at(-1)).toEqual([6, 7])
    pending.release(3)
    await settle()
    await clock.advance(2)
    void rows.add(8)
    expect(flushes().at(-1)).toEqual([8])
  })

  test('a lingering batcher waits for more rows, but not past its time, a full flush or its end', async () => {
    const clock = virtualClock()
    const pending = heldFlush()
    const rows = batcher(pending.flush, { ...limits, linger: { ms: 10, clock } })
    void rows.add(1)
    await clock.advance(9)
    void rows.add(2)
    expect(pending.flights).toEqual([])
    await clock.advance(1)
    expect(pending.flights.map((flight) => flight.rows)).toEqual([[1, 2]])
    pending.release(0)
    await settle()

    for (const row of [3, 4, 5]) void rows.add(row)
    await settle()
    expect(pending.flights.at(-1)?.rows).toEqual([3, 4, 5])
    pending.release(1)
    await settle()

    void rows.add(6)
    const closed = rows.close()
    expect(pending.flights.at(-1)?.rows).toEqual([6])
    pending.release(2)
    await closed
  })

  test('a lone row is flushed without waiting for any other', async () => {
    const pending = heldFlush()
    const rows = batcher(pending.flush, limits)
    void rows.add(1)
    await Promise.resolve()
    expect(pending.flights.map((flight) => flight.rows)).toEqual([[1]])
  })

  test('rows that come while every flusher is busy go out together, in order, in flushes of at most rowsMax', async () => {
    const pending = heldFlush()
    const rows = batcher(pending.flush, limits)
    const results = [rows.add(1)]
    await settle()
    for (const row of [2, 3, 4, 5]) results.push(rows.add(row))
    await settle()
    expect(pending.flights.length).toBe(1)
    for (const at of [0, 1, 2]) {
      pending.release(at)
      await settle()
    }
    expect(pending.flights.map((flight) => flight.rows)).toEqual([[1], [2, 3, 4], [5]])
    expect(await Promise.all(results)).toEqual([10, 20, 30, 40, 50])
  })

  test('at most flushersMax flushes are under way at once', async () => {
    const pending = heldFlush()
    const rows = batcher(pending.flush, { rowsMax: 1, flushersMax: 2, waitingMax: 10 })
    for (const row of [1, 2, 3, 4]) void rows.add(row)
    await settle()
    expect(pending.flights.length).toBe(2)
    pending.release(1)
    await settle()
    expect(pending.flights.map((flight) => flight.rows)).toEqual([[1], [2], [3]])
  })

  test('past waitingMax a row is refused and the rows that wait are kept', async () => {
    const pending = heldFlush()
    const rows = batcher(pending.flush, { rowsMax: 10, flushersMax: 1, waitingMax: 2 })
    const first = rows.add(1)
    await settle()
    const waiting = [rows.add(2), rows.add(3)]
    await expect(rows.add(4)).rejects.toBeInstanceOf(BatchFull)
    expect(rows.waiting).toBe(2)
    pending.release(0)
    await settle()
    pending.release(1)
    expect(await Promise.all([first, ...waiting])).toEqual([10, 20, 30])
  })

  test('a flush that fails rejects its own rows and no others', async () => {
    const pending = heldFlush()
    const rows = batcher(pending.flush, limits)
    const lost = rows.add(1)
    await settle()
    const waitingRow = rows.add(2)
    pending.flights[0]?.done.reject(new Error('connection lost'))
    await expect(lost).rejects.toThrow('connection lost')
    await settle()
    pending.release(1)
    expect(await waitingRow).toBe(20)
  })

  test('a flush that throws before it returns a promise, or answers too few results, rejects its rows', async () => {
    const throwing = batcher((): Promise<number[]> => {
      throw new Error('not even begun')
    }, limits)
    await expect(throwing.add(1)).rejects.toThrow('not even begun')
    const short = batcher(async () => [], limits)
    await expect(short.add(1)).rejects.toThrow('0 results for 1 rows')
  })

  test('flushed waits for the rows added before it and for none added later', async () => {
    const pending = heldFlush()
    const rows = batcher(pending.flush, { rowsMax: 1, flushersMax: 1, waitingMax: 10 })
    void rows.add(1)
    void rows.add(2)
    let isFlushed = false
    const flushed = rows.flushed().then(() => {
      isFlushed = true
    })
    pending.release(0)
    await settle()
    pending.release(0)
    await settle()
    expect(isFlushed).toBe(false)
    pending.release(1)
    await flushed
    const later = rows.add(3)
    await settle()
    pending.release(2)
    expect(await later).toBe(30)
  })

  test('close flushes the waiting rows and takes no more', async () => {
    const pending = heldFlush()
    const rows = batcher(pending.flush, limits)
    const waitingRow = rows.add(1)
    const closed = rows.close()
    await expect(rows.add(2)).rejects.toBeInstanceOf(BatchClosed)
    await settle()
    pending.release(0)
    await closed
    expect(await waitingRow).toBe(10)
  })

  test('the span of a flush is a child of its first row’s and links to the others', async () => {
    const { tracer, spans } = recordingTracer()
    const links: unknown[] = []
    const watched = {
      ...tracer,
      span: (...given: Parameters<typeof tracer.span>) => {
        links.push(given[3])
        return tracer.span(...given)
      },
    }
    const rows = batcher(async (batch: number[]) => batch, limits, { tracer: watched, name: 'flush' })
    const one = tracer.span('one')
    const two = tracer.span('two')
    const added = [one, two].map((span, row) => tracer.inSpan(span.context, () => rows.add(row)))
    await Promise.all(added)
    expect(spans.at(-1)).toMatchObject({ name: 'flush', parent: 'one', isEnded: true })
    expect(links).toEqual([[two.context]])
  })

  test('under any load and limits every row is flushed exactly once and gets its own result', async () => {
    const input = fc.record({
      rowsMax: fc.integer({ min: 1, max: 7 }),
      flushersMax: fc.integer({ min: 1, max: 3 }),
      bursts: fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 8 }),
      failing: fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 5 }),
    })
    await fc.assert(
      fc.asyncProperty(input, async ({ rowsMax, flushersMax, bursts, failing }) => {
        const flushedRows: number[] = []
        let flushes = 0
        const flush = async (batch: number[]) => {
          flushedRows.push(...batch)
          const mustFail = failing.includes(flushes++)
          await Promise.resolve()
          if (mustFail) throw new Error('refused')
          return batch.map((row) => -row)
        }
        const rows = batcher(flush, { rowsMax, flushersMax, waitingMax: 1_000 })
        const answers: Promise<boolean>[] = []
        for (const burst of bursts) {
          for (let count = 0; count < burst; count++) {
            const row = answers.length
            const answered = rows.add(row).then(
              (result) => result === -row,
              (error) => error.message === 'refused',
            )
            answers.push(answered)
          }
          await Promise.resolve()
        }
        await rows.close()
        expect(flushedRows).toEqual(answers.map((_, row) => row))
        expect((await Promise.all(answers)).every(Boolean)).toBe(true)
      }),
    )
  })
})
