/** Time that processes of one machine agree on: the kernel's monotonic clock, in microseconds. */

/** `performance.now()` counts from each process's own start; `hrtime` is CLOCK_MONOTONIC, one for the whole system. */
export function nowUs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1_000_000 + nanoseconds / 1_000
}
