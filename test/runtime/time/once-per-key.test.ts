import { expect, test } from 'vitest'
import { oncePerKey } from '../../../runtime/time/once-per-key.ts'

function counted() {
  const runs: PromiseWithResolvers<number>[] = []
  const work = () => {
    const run = Promise.withResolvers<number>()
    runs.push(run)
    return run.promise
  }
  return { runs, work }
}

test('callers of one key share the run under way, and the next caller starts another', async () => {
  const once = oncePerKey<string, number>()
  const { runs, work } = counted()
  const both = [once.run('a', work), once.run('a', work)]
  void once.run('b', work)
  expect([runs.length, once.size]).toEqual([2, 2])
  runs[0]?.resolve(7)
  expect(await Promise.all(both)).toEqual([7, 7])
  void once.run('a', work)
  expect(runs).toHaveLength(3)
})

test('a run that fails fails for all who share it, and is not kept', async () => {
  const once = oncePerKey<string, number>()
  const { runs, work } = counted()
  const both = [once.run('a', work), once.run('a', work)]
  runs[0]?.reject(new Error('broke'))
  for (const outcome of await Promise.allSettled(both)) expect(outcome.status).toBe('rejected')
  expect(once.size).toBe(0)
})

test('what is forgotten is shared no more, and its end leaves the newer run alone', async () => {
  const once = oncePerKey<string, number>()
  const { runs, work } = counted()
  const old = once.run('a', work)
  once.forget()
  const fresh = once.run('a', work)
  runs[0]?.resolve(1)
  expect(await old).toBe(1)
  const shared = once.run('a', work)
  runs[1]?.resolve(2)
  expect(await Promise.all([fresh, shared])).toEqual([2, 2])
  expect(runs).toHaveLength(2)
})
