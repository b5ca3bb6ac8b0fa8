/** Delays between attempts to connect: each twice the last, up to a maximum; short again after a connection that lasted. */

interface ReconnectDelays {
  /** The attempt succeeded. If the connection ends soon after, the delays go on growing. */
  connected(): void
  /** Milliseconds until the next attempt. */
  next(): number
}

/** @param most also how long a connection has to last for the delays to be short again */
export function reconnectDelays({ least, most }: { least: number; most: number }): ReconnectDelays {
  let nextMs = least
  let connectedAtMs: number | undefined
  return {
    connected() {
      connectedAtMs ??= performance.now()
    },
    next() {
      if (connectedAtMs !== undefined && performance.now() - connectedAtMs >= most) nextMs = least
      connectedAtMs = undefined
      const delayMs = nextMs
      nextMs = Math.min(nextMs * 2, most)
      return delayMs
    },
  }
}
