/** Time as a dependency: everything that waits or expires takes a `Clock`, so tests run it on virtual time. */

export interface Timer {
  cancel(): void
}

export interface Clock {
  /** Wall time, milliseconds since the Unix epoch. */
  now(): number
  /** Monotonic time in milliseconds, for durations; its zero means nothing. */
  elapsed(): number
  /** Calls `fire` once after at least `delayMs`. A waiting timer does not keep the process alive. */
  after(delayMs: number, fire: () => void): Timer
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(delayMs, fire) {
    const handle = setTimeout(fire, delayMs)
    handle.unref()
    return { cancel: () => clearTimeout(handle) }
  },
}

/** Resolves after `delayMs` on `clock`, or rejects with the signal's reason as soon as it aborts. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = () => {
      timer.cancel()
      reject(signal?.reason)
    }
    const timer = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
