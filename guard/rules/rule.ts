/** A rule of the guard: patterns, and how heavily they weigh. */

export interface Rule {
  readonly name: string
  /** 0 to 1; 0: harmless from this source. */
  readonly weight: { readonly user: number; readonly untrusted: number }
  /** In the pattern language of pattern.ts. */
  readonly patterns: readonly string[]
}
