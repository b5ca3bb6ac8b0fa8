/** Keeps the process alive during work that waits on timers of the clock alone: those are unreferenced. */

/** The longest interval of a timer; it does nothing. */
const longMs = 2 ** 31 - 1

/** @returns ends the hold */
export function hold(): () => void {
  const handle = setInterval(() => {}, longMs)
  return () => clearInterval(handle)
}
