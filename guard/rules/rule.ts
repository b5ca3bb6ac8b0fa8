/** What a rule of the guard is. */

export interface Rule {
  readonly name: string
  /** 0 to 1; 0: nothing of this kind is wrong from this side. */
  readonly weight: { readonly user: number; readonly untrusted: number }
  /** In the language of pattern.ts. */
  readonly patterns: readonly string[]
}
