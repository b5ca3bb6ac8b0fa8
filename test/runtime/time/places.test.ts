import { describe, expect, test } from 'vitest'
import { type Places, places } from '../../../runtime/time/places.ts'

class Full extends Error {}

function one(waitingMax = 1): Places {
  return places({ placesMax: 1, waitingMax, refusal: () => new Full() })
}

describe('places', () => {
  test('whoever finds the line full is refused; a place that is given back goes to the first in line, once', async () => {
    const line = one()
    const leave = await line.take()
    const waiting = line.take()
    await expect(line.take()).rejects.toBeInstanceOf(Full)
    expect([line.used, line.waiting]).toEqual([1, 1])
    leave()
    leave()
    const third = line.take()
    expect([line.used, line.waiting]).toEqual([1, 1])
    await expect(line.take()).rejects.toBeInstanceOf(Full)
    ;(await waiting)()
    ;(await third)()
    expect([line.used, line.waiting]).toEqual([0, 0])
  })

  test('whoever is cancelled in the line leaves it', async () => {
    const line = one()
    await line.take()
    const abort = new AbortController()
    const waiting = line.take(abort.signal)
    abort.abort(new Error('cancelled'))
    await expect(waiting).rejects.toThrow('cancelled')
    expect(line.waiting).toBe(0)
  })

  test('a signal that has aborted takes no place', async () => {
    const line = one()
    await expect(line.take(AbortSignal.abort(new Error('cancelled')))).rejects.toThrow('cancelled')
    expect(line.used).toBe(0)
  })
})
