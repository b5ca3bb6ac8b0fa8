import { describe, expect, test } from 'vitest'
import { lifecycle, type PartOptions, StartFailed } from '../../runtime/lifecycle.ts'
import { recordingLog } from '../support/recording-log.ts'
import { virtualClock } from '../support/virtual-clock.ts'

function journalled() {
  const journal: string[] = []
  const { log, lines } = recordingLog()
  const clock = virtualClock()
  const life = lifecycle({ log, clock })
  /** A part that notes in the journal when it starts and when it stops. */
  const start = (name: string, options: PartOptions<string> = {}): Promise<string> =>
    life.start(
      name,
      () => {
        journal.push(`+${name}`)
        return name
      },
      { stop: (value) => void journal.push(`-${value}`), ...options },
    )
  return { journal, life, start, lines, clock }
}

describe('lifecycle', () => {
  test('parts start in order, and stop in reverse with what they opened', async () => {
    const { journal, life, start } = journalled()
    life.onDrain(() => journal.push(`drain in state ${life.state}`))
    expect(life.state).toBe('starting')
    expect(await start('store')).toBe('store')
    await start('actors')
    await start('http')
    expect(life.state).toBe('starting')
    life.ready()
    expect(life.state).toBe('ready')
    await Promise.all([life.stop(), life.stop()])
    expect(life.state).toBe('stopped')
    expect(journal).toEqual(['+store', '+actors', '+http', 'drain in state draining', '-http', '-actors', '-store'])
  })

  test('when a part does not start, those before it are stopped, and the error names it', async () => {
    const { journal, life, start } = journalled()
    await start('store')
    const failure = await life
      .start('actors', () => Promise.reject(new Error('no memory')))
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(StartFailed)
    expect(failure).toMatchObject({ part: 'actors', message: 'actors did not start: no memory' })
    expect(journal).toEqual(['+store', '-store'])
    expect(life.state).toBe('stopped')
    await life.stop()
    expect(journal).toEqual(['+store', '-store'])
  })

  test('a part that stops in time is not called late, whatever its stop answers', async () => {
    const { life, start, lines } = journalled()
    const unsubscribe: () => void = () => true
    await start('agents', { stop: unsubscribe })
    life.ready()
    await life.stop()
    expect(lines.map(({ msg }) => msg)).not.toContain('did not stop in time; the next part is stopped')
  })

  test('a part that does not stop in time, or fails to, does not keep the others running', async () => {
    const { journal, life, start, lines, clock } = journalled()
    await start('store')
    await start('actors', { stop: () => Promise.reject(new Error('stuck')) })
    await start('http', { graceMs: 2_000, stop: () => new Promise(() => {}) })
    life.ready()
    const stopped = life.stop()
    await clock.advance(1_999)
    expect(journal).not.toContain('-store')
    await clock.advance(1)
    await stopped
    expect(journal).toContain('-store')
    expect(lines.map((line) => [line.level, line.msg, line['part']])).toEqual(
      expect.arrayContaining([
        [40, 'did not stop in time; the next part is stopped', 'http'],
        [50, 'failed to stop', 'actors'],
      ]),
    )
    expect(clock.timersWaiting).toBe(0)
  })

  test('a stop during a start aborts that part and stops the ones before it', async () => {
    const { journal, life, start, clock } = journalled()
    await start('log')
    const started = life
      .start(
        'database',
        (signal) =>
          new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
      )
      .catch((error: unknown) => error)
    await clock.settle()
    await life.stop()
    expect(await started).toBeInstanceOf(StartFailed)
    expect(journal).toEqual(['+log', '-log'])
  })

  test('a stop during the start of a part that ignores its signal stops all that had started', async () => {
    const { journal, life, start, clock } = journalled()
    const gate = Promise.withResolvers<void>()
    await start('log')
    const started = life.start('database', () => gate.promise, { stop: () => void journal.push('-database') })
    await clock.settle()
    const stopped = life.stop()
    gate.resolve()
    await started
    await expect(start('http')).rejects.toBeInstanceOf(StartFailed)
    await stopped
    expect(() => life.ready()).toThrow(StartFailed)
    expect(journal).toEqual(['+log', '-database', '-log'])
  })

  test('a stop waits for a part that is starting no longer than it may, and stops what it opens later', async () => {
    const { journal, life, start, lines, clock } = journalled()
    const gate = Promise.withResolvers<string>()
    await start('log')
    const started = life.start('database', () => gate.promise, {
      openGraceMs: 3_000,
      stop: (value) => void journal.push(`-${value}`),
    })
    const failed = expect(started).rejects.toBeInstanceOf(StartFailed)
    const stopped = life.stop()
    await clock.advance(2_999)
    expect(journal).toEqual(['+log'])
    await clock.advance(1)
    await failed
    await stopped
    expect(journal).toEqual(['+log', '-log'])
    expect(lines.map(({ msg, part }) => [part, msg])).toContainEqual([
      'database',
      'told to stop while this part was starting; it is not waited for',
    ])
    gate.resolve('late')
    await clock.settle()
    expect(journal).toEqual(['+log', '-log', '-late'])
    expect(clock.timersWaiting).toBe(0)
  })

  test('after a stop nothing starts', async () => {
    const { journal, life, start } = journalled()
    await life.stop()
    await expect(start('store')).rejects.toBeInstanceOf(StartFailed)
    expect(journal).toEqual([])
  })
})
