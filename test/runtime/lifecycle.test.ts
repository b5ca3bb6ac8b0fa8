import { describe, expect, test } from 'vitest'
import { lifecycle, type Part, StartFailed } from '../../runtime/lifecycle.ts'
import { recordingLog } from '../support/recording-log.ts'
import { virtualClock } from '../support/virtual-clock.ts'

function journalled() {
  const journal: string[] = []
  const part = (name: string, more: Partial<Part> = {}): Part => ({
    name,
    async start() {
      journal.push(`+${name}`)
    },
    async stop() {
      journal.push(`-${name}`)
    },
    ...more,
  })
  const { log, lines } = recordingLog()
  const clock = virtualClock()
  return { journal, part, log, lines, clock }
}

describe('lifecycle', () => {
  test('parts start in order and stop in reverse', async () => {
    const { journal, part, log, clock } = journalled()
    const life = lifecycle({ parts: [part('store'), part('actors'), part('http')], log, clock })
    life.onDrain(() => journal.push(`drain in state ${life.state}`))
    expect(life.state).toBe('new')
    await life.start()
    expect(life.state).toBe('ready')
    await Promise.all([life.stop(), life.stop()])
    expect(life.state).toBe('stopped')
    expect(journal).toEqual(['+store', '+actors', '+http', 'drain in state draining', '-http', '-actors', '-store'])
  })

  test('a part that does not start has those before it stopped again, and says which it was', async () => {
    const { journal, part, log, clock } = journalled()
    const broken = part('actors', { start: () => Promise.reject(new Error('no memory')) })
    const life = lifecycle({ parts: [part('store'), broken, part('http')], log, clock })
    const failure = await life.start().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(StartFailed)
    expect(failure).toMatchObject({ part: 'actors', message: 'actors did not start: no memory' })
    expect(journal).toEqual(['+store', '-store'])
    expect(life.state).toBe('stopped')
    await life.stop()
    expect(journal).toEqual(['+store', '-store'])
  })

  test('a part that does not stop within its grace, or fails in it, does not keep the others running', async () => {
    const { journal, part, log, lines, clock } = journalled()
    const hanging = part('http', { graceMs: 2_000, stop: () => new Promise(() => {}) })
    const failing = part('actors', { stop: () => Promise.reject(new Error('stuck')) })
    const life = lifecycle({ parts: [part('store'), failing, hanging], log, clock })
    await life.start()
    const stopped = life.stop()
    await clock.advance(1_999)
    expect(journal).not.toContain('-store')
    await clock.advance(1)
    await stopped
    expect(journal).toContain('-store')
    expect(lines.map((line) => [line.level, line.msg, line['part']])).toEqual(
      expect.arrayContaining([
        [40, 'did not stop in time and is left behind', 'http'],
        [50, 'failed while it stopped', 'actors'],
      ]),
    )
    expect(clock.timersWaiting).toBe(0)
  })

  test('told to stop in mid-start, it aborts that part and unwinds the ones before it', async () => {
    const { journal, part, log, clock } = journalled()
    const waiting = part('database', {
      start: (signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
    })
    const life = lifecycle({ parts: [part('log'), waiting, part('http')], log, clock })
    const started = life.start().catch((error: unknown) => error)
    await clock.settle()
    await life.stop()
    expect(await started).toBeInstanceOf(StartFailed)
    expect(journal).toEqual(['+log', '-log'])
  })

  test('told to stop in mid-start by a part that does not listen, it stops all that had started', async () => {
    const { journal, part, log, clock } = journalled()
    const gate = Promise.withResolvers<void>()
    const deaf = part('database', {
      async start() {
        await gate.promise
        journal.push('+database')
      },
    })
    const life = lifecycle({ parts: [part('log'), deaf, part('http')], log, clock })
    const started = life.start().catch((error: unknown) => error)
    await clock.settle()
    const stopped = life.stop()
    gate.resolve()
    await stopped
    expect(await started).toBeInstanceOf(StartFailed)
    expect(journal).toEqual(['+log', '+database', '-database', '-log'])
  })

  test('stopped before it was started, it does not start any more', async () => {
    const { journal, part, log, clock } = journalled()
    const life = lifecycle({ parts: [part('store')], log, clock })
    await life.stop()
    await expect(life.start()).rejects.toBeInstanceOf(StartFailed)
    expect(journal).toEqual([])
  })
})
