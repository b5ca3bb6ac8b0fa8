/**
 * Milliseconds of processor time that this process spends on `work`. Unlike time on the clock it does not grow while other
 * processes keep the cores busy, so a bound on it fails only when the work itself is too slow.
 */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const spent = process.cpuUsage(before)
  return (spent.user + spent.system) / 1_000
}
