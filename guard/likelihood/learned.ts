/** The form in which training leaves what it learned. */

/** What training made. Sums of weights are log-odds by `scale`. */
export interface Model {
  /** By feature, in base64, a signed byte each. */
  readonly weights: string
  readonly scale: number
  readonly rules: RulesWeights
  /** Log-odds from which a text that the rules let pass counts as an attack. */
  readonly attackFrom: number
}

/** What the score of the rules adds to the log-odds. */
export interface RulesWeights {
  readonly logOdds: number
  readonly any: number
  readonly blocked: number
}
