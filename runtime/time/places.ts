/** So many at once, so many in line behind them; whoever comes then is refused. */

export interface Places {
  /** @returns gives the place back; more than once is once. @throws the refusal; the signal's reason when it aborts in the line */
  take(signal?: AbortSignal): Promise<() => void>
  /** Places in use. */
  readonly used: number
  readonly waiting: number
}

export interface PlacesOptions {
  /** Places in use at once. */
  placesMax: number
  /** In line for a place. */
  waitingMax: number
  /** Made for each who finds the line full. */
  refusal: () => Error
}

/** A place that is given back goes to the first in line. */
export function places({ placesMax, waitingMax, refusal }: PlacesOptions): Places {
  const line = new Set<() => void>()
  let used = 0

  function occupy(): () => void {
    used++
    let isGivenBack = false
    return () => {
      if (isGivenBack) return
      isGivenBack = true
      used--
      const [first] = line
      first?.()
    }
  }

  return {
    take(signal) {
      if (signal?.aborted) return Promise.reject(signal.reason)
      if (used < placesMax) return Promise.resolve(occupy())
      if (line.size >= waitingMax) return Promise.reject(refusal())
      return new Promise((resolve, reject) => {
        const enter = () => {
          line.delete(enter)
          signal?.removeEventListener('abort', leave)
          resolve(occupy())
        }
        const leave = () => {
          line.delete(enter)
          reject(signal?.reason)
        }
        line.add(enter)
        signal?.addEventListener('abort', leave, { once: true })
      })
    },
    get used() {
      return used
    },
    get waiting() {
      return line.size
    },
  }
}
