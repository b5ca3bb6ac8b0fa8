/** What the guard says of a text: how bad it looks, and by which rules. */

/** user: whoever speaks to the model. untrusted: what tools, pages and quoted mails bring, where nobody should give orders. */
export type Source = 'user' | 'untrusted'

export interface Reason {
  /** Name of the rule, with the disguise it was found under: `override`, `override (base64)`. */
  readonly rule: string
  /** 0 to 1, after what the context takes off. */
  readonly weight: number
  /** The place as the guard read it, folded and decoded; at most 80 characters. */
  readonly excerpt: string
}

export interface Verdict {
  /** The score is over the line: a user's message is not answered, untrusted content is passed on with a mark. */
  readonly isBlocked: boolean
  /** 0 to 1. */
  readonly score: number
  /** Heaviest first; at most 12. */
  readonly reasons: readonly Reason[]
}
