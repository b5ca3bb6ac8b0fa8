/** Counts an actor's failures within the window of its supervision. */
import type { RestartPolicy } from './define.ts'

export class RestartIntensity {
  readonly #policy: RestartPolicy
  #failuresAtMs: number[] = []

  constructor(policy: RestartPolicy) {
    this.#policy = policy
  }

  /** Records a failure. @returns how many fall within the window, this one included */
  count(nowMs: number): number {
    this.#failuresAtMs = this.#failuresAtMs.filter((atMs) => atMs > nowMs - this.#policy.withinMs)
    this.#failuresAtMs.push(nowMs)
    return this.#failuresAtMs.length
  }
}
