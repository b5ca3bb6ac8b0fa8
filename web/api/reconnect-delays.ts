/** Waits between tries: each twice the one before, up to a bound, and short again after what held. */

interface GrowingWaits {
  /** A try has led to something. What ends right after that is no success: the waits go on growing. */
  holds(): void
  /** Milliseconds until the next try. */
  next(): number
}

/** @param most also how long something has to hold for the waits to be short again */
export function growingWaits({ least, most }: { least: number; most: number }): GrowingWaits {
  let waitMs = least
  let heldFrom: number | undefined
  return {
    holds() {
      heldFrom ??= performance.now()
    },
    next() {
      if (heldFrom !== undefined && performance.now() - heldFrom >= most) waitMs = least
      heldFrom = undefined
      const now = waitMs
      waitMs = Math.min(waitMs * 2, most)
      return now
    },
  }
}
