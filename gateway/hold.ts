/** Keeps the process while work is under way: timers of the clock do not, and for a while they may be all there is to wait for. */

/** As long as a timer can be; it never has anything to do. */
const longMs = 2 ** 31 - 1

/** @returns lets go of the process */
export function hold(): () => void {
  const handle = setInterval(() => {}, longMs)
  return () => clearInterval(handle)
}
