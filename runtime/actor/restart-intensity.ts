/** How often an actor failed lately, against what its supervision allows. */
import type { SupervisionPolicy } from './define.ts'

export class RestartIntensity {
  readonly #policy: SupervisionPolicy
  #failuresAtMs: number[] = []

  constructor(policy: SupervisionPolicy) {
    this.#policy = policy
  }

  /** Notes a failure now; returns how many fall within the window, this one included. */
  count(nowMs: number): number {
    this.#failuresAtMs = this.#failuresAtMs.filter((atMs) => atMs > nowMs - this.#policy.within)
    this.#failuresAtMs.push(nowMs)
    return this.#failuresAtMs.length
  }
}
