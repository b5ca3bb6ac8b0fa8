/** Hints to a model whose calls failed, up to a bound; rounds that it spends on another attempt do not count as steps. */
export class Healing {
  #left: number
  readonly #most: number
  constructor(most: number) {
    this.#most = most
    this.#left = most
  }

  /** True: the round does not count. */
  takeRound(): boolean {
    if (this.#left === 0) return false
    this.#left--
    return true
  }

  hint(): string {
    if (this.#most === 0) return ''
    if (this.#left === 0)
      return '\n\nHint: do not make this call again; go on without it and say what could not be done.'
    return '\n\nHint: find out what was wrong with the call (its arguments, a missing step before it, a limit), correct it and make it again. If it cannot be made to work, use another way.'
  }
}
