/** The format of the trained model. */

/** Sums of weights, times `scale`, are log-odds. */
export interface Model {
  /** By feature, in base64, a signed byte each. */
  readonly weights: string
  readonly scale: number
  readonly rules: RulesWeights
  /** The log-odds from which a text that the rules pass counts as an attack. */
  readonly attackFrom: number
}

/** How the score of the rules adds to the log-odds. */
export interface RulesWeights {
  readonly logOdds: number
  readonly any: number
  readonly blocked: number
}
