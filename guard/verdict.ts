/** The verdict of the guard on a text: its score, and the rules behind it. */

/** user: a message to the model. untrusted: text from tools, pages and quoted mails, which should contain no orders. */
export type Source = 'user' | 'untrusted'

export interface Reason {
  /** Name of the rule, with the disguise it was found in: `override`, `override (base64)`. */
  readonly rule: string
  /** 0 to 1, reduced by the context. */
  readonly weight: number
  /** The text that matched, folded and decoded; at most 80 characters. */
  readonly excerpt: string
}

export interface Verdict {
  /** The score is 0.6 or more: a user's message is not answered, untrusted content is marked. */
  readonly isBlocked: boolean
  /** 0 to 1. */
  readonly score: number
  /** Heaviest first; at most 12. */
  readonly reasons: readonly Reason[]
}
