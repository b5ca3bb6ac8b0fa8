/** Callers in this process that hand over one message after another, each waiting until it is durable. */
import type { Figures } from '../row.ts'
import { percentile } from '../statistics.ts'

export interface EnqueueLoad {
  callers: number
  warmUpMs: number
  measureMs: number
}

/** Characters of a message. */
export const messageText = 'x'.repeat(200)

/** Senders that take turns. */
export const sendersMax = 5_000

/** @param put resolves when the message of this number is committed */
export async function enqueueLoad(load: EnqueueLoad, put: (at: number) => Promise<unknown>): Promise<Figures> {
  const tookMs: number[] = []
  const perSecond: number[] = []
  let next = 0
  let isOver = false
  let countsFromMs = Number.POSITIVE_INFINITY
  async function call(): Promise<void> {
    while (!isOver) {
      const startedMs = performance.now()
      await put(next++)
      const endedMs = performance.now()
      if (isOver || startedMs < countsFromMs) continue
      tookMs.push(endedMs - startedMs)
      const second = Math.floor((endedMs - countsFromMs) / 1_000)
      perSecond[second] = (perSecond[second] ?? 0) + 1
    }
  }
  const callers = Array.from({ length: load.callers }, call)
  await new Promise((resolve) => setTimeout(resolve, load.warmUpMs))
  countsFromMs = performance.now()
  await new Promise((resolve) => setTimeout(resolve, load.measureMs))
  isOver = true
  const measuredS = (performance.now() - countsFromMs) / 1_000
  await Promise.all(callers)
  const fifth = Math.max(1, Math.floor(load.measureMs / 1_000 / 6))
  const whole = perSecond.slice(0, Math.floor(load.measureMs / 1_000))
  return {
    acceptedPerS: tookMs.length / measuredS,
    latencyP50Ms: percentile(tookMs, 50),
    latencyP99Ms: percentile(tookMs, 99),
    lastToFirst: sum(whole.slice(-fifth)) / sum(whole.slice(0, fifth)),
  }
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0)
