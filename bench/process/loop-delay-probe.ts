/**
 * Loaded before a contestant's own code: tells over IPC how late its event loop was since it was last asked. The same
 * instrument for everybody. A timer of `sampleMs` is watched; its lateness is the delay.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

/** Node's histogram holds the whole interval between two firings, so this much of each figure is no delay. */
const sampleMs = 10

if (isMainThread && process.send) {
  const histogram = monitorEventLoopDelay({ resolution: sampleMs })
  histogram.enable()
  process.on('message', (message: unknown) => {
    if ((message as { type?: unknown } | null)?.type !== 'loop-delay') return
    const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - sampleMs)
    const p99Ms = late(histogram.percentile(99))
    const maxMs = late(histogram.max)
    const samples = histogram.count
    histogram.reset()
    process.send?.({ type: 'loop-delay', p99Ms, maxMs, samples })
  })
}
