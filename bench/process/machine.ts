/** Where the figures come from: they mean little without it. */
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os'

export interface Machine {
  processor: string
  cores: number
  memoryGiB: number
  kernel: string
  node: string
  /** Runnable processes over the last minute, before the benchmark began: above about 0.3 the machine was not ours alone. */
  loadBefore: number
}

export function thisMachine(): Machine {
  return {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 1_073_741_824),
    kernel: release(),
    node: process.version,
    loadBefore: loadavg()[0] ?? 0,
  }
}
