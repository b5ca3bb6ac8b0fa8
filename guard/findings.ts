/** Collects the findings of one text: the heaviest place of each rule, and one score of them all. */
import type { Reason, Source, Verdict } from './verdict.ts'

export interface Findings {
  /** @param share what the context leaves of the weight, 0 to 1 */
  add(rule: string, weight: number, share: number, excerpt: string): void
  verdict(): Verdict
}

const blockedScoreMin = 0.6
const reasonsMax = 12
const excerptCharactersMax = 80

export function collectFindings(source: Source): Findings {
  const heaviest = new Map<string, Reason>()

  /** Quotation excuses less in untrusted text, where nobody should give orders anyway. */
  const soften = (share: number) => (source === 'user' ? share : (1 + share) / 2)

  return {
    add(rule, fullWeight, share, excerpt) {
      const weight = Math.round(fullWeight * soften(share) * 1_000) / 1_000
      const before = heaviest.get(rule)
      if (before && before.weight >= weight) return
      heaviest.set(rule, { rule, weight, excerpt: excerpt.slice(0, excerptCharactersMax) })
    },
    verdict() {
      const reasons = [...heaviest.values()].sort((a, b) => b.weight - a.weight)
      const score = scoreOf(reasons)
      return { isBlocked: score >= blockedScoreMin, score, reasons: reasons.slice(0, reasonsMax) }
    },
  }
}

/** The same rule under several disguises counts once. */
function scoreOf(reasons: readonly Reason[]): number {
  const byRule = new Map<string, number>()
  for (const { rule, weight } of reasons) {
    const [name = rule] = rule.split(' (')
    byRule.set(name, Math.max(byRule.get(name) ?? 0, weight))
  }
  let innocence = 1
  for (const weight of byRule.values()) innocence *= 1 - weight
  return Math.round((1 - innocence) * 1_000) / 1_000
}
