/** A bounded number of places, and a bounded wait for one. Work that gets no place was never started. */
import type { Deadline, Deadlines } from '../../runtime/actor/deadlines.ts'
import { DatabaseDown } from '../errors.ts'

export interface WaitingRoom<Place> {
  /** @throws DatabaseDown when no place was free in time, or too many wait already */
  enter(): Promise<Place>
  leave(place: Place): void
  /** Places in use. */
  readonly taken: number
  readonly waiting: number
}

export interface RoomLimits {
  waitMs: number
  waitingMax: number
}

interface Waiter<Place> extends Deadline {
  enter(place: Place): void
}

/** @param places taken last in, first out, so that spare ones stay unused */
export function waitingRoom<Place>(
  places: readonly Place[],
  { waitMs, waitingMax }: RoomLimits,
  deadlines: Deadlines,
): WaitingRoom<Place> {
  const free = places.toReversed()
  const waiters = new Set<Waiter<Place>>()

  return {
    enter() {
      const place = free.pop()
      if (place !== undefined) return Promise.resolve(place)
      if (waiters.size >= waitingMax) {
        return Promise.reject(new DatabaseDown(`${waitingMax} queries already wait for a connection`))
      }
      return new Promise((resolve, reject) => {
        const waiter: Waiter<Place> = {
          expire() {
            waiters.delete(waiter)
            reject(new DatabaseDown(`no connection was free within ${waitMs} ms`))
          },
          enter: resolve,
        }
        waiters.add(waiter)
        deadlines.add(waiter, waitMs)
      })
    },
    leave(place) {
      const [next] = waiters
      if (!next) {
        free.push(place)
        return
      }
      waiters.delete(next)
      deadlines.remove(next)
      next.enter(place)
    },
    get taken() {
      return places.length - free.length
    },
    get waiting() {
      return waiters.size
    },
  }
}
