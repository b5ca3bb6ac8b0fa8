/** The learned part of the guard: combines weights of words, trained on labelled texts, with the score of the rules. */
import type { Page } from '../page.ts'
import type { Source, Verdict } from '../verdict.ts'
import { createFeatureReader } from './features.ts'
import type { Model, RulesWeights } from './learned.ts'
import { model as trained } from './model.ts'
import type { Window } from './window.ts'

export interface Likelihood {
  begin(source: Source): void
  /** Adds a page of the text, or of a text hidden in it; its words must have been read as `plain`. */
  read(page: Page): void
  /** Ends the text. @returns the verdict of the rules, or a block where they pass a likely attack */
  combine(byRules: Verdict): Verdict
}

const blockedScoreMin = 0.6
const reasonsMax = 12
const wordsShownMax = 5
/** With blanks between them, five fit into an excerpt. */
const wordCharactersMax = 15
const logOdds = (chance: number): number => Math.log(chance / (1 - chance))

/** Takes some milliseconds. It reads one text at a time. */
export function createLikelihood(model: Model = trained): Likelihood {
  const readFeatures = createFeatureReader()
  const weights = new Int8Array(Buffer.from(model.weights, 'base64'))
  /** The rules' share is at most this for a text that they pass: a lighter window cannot block, and needs no excerpt. */
  const explainedFrom = (model.attackFrom - rulesLogOdds(model.rules, blockedScoreMin - 0.001)) / model.scale
  let heaviest = Number.NEGATIVE_INFINITY
  let windows = 0
  let excerpt = ''
  let source: Source = 'user'
  let pageNow: Page | undefined

  const weigh = (window: Window) => {
    const { features, count } = window
    let sum = 0
    for (let at = 0; at < count; at++) sum += weights[features[at] ?? 0] ?? 0
    windows++
    if (sum <= heaviest) return
    heaviest = sum
    excerpt = sum >= explainedFrom && pageNow ? heaviestWords(pageNow, window, weights) : ''
  }

  return {
    begin(from) {
      source = from
      heaviest = Number.NEGATIVE_INFINITY
      windows = 0
      excerpt = ''
    },
    read(page) {
      pageNow = page
      readFeatures(page, source, weigh)
    },
    combine(byRules) {
      // Words do not excuse what the rules block: harmless words are easily put around an order.
      if (windows === 0 || byRules.isBlocked) return byRules
      const odds = heaviest * model.scale + rulesLogOdds(model.rules, byRules.score) - lengthLogOdds(windows)
      return odds < model.attackFrom ? byRules : blockedWith(byRules, odds - model.attackFrom, excerpt)
    },
  }
}

function blockedWith(byRules: Verdict, oddsOverLine: number, excerpt: string): Verdict {
  const chance = 1 / (1 + Math.exp(-oddsOverLine - logOdds(blockedScoreMin)))
  const score = Math.round(chance * 1_000) / 1_000
  const reasons = [{ rule: 'likelihood', weight: score, excerpt }, ...byRules.reasons]
  return { isBlocked: true, score, reasons: reasons.slice(0, reasonsMax) }
}

/** Among many windows, one is heavy by chance. */
export const lengthLogOdds = (windows: number): number => Math.log(Math.max(1, windows))

export function rulesLogOdds({ logOdds: perOdds, any, blocked }: RulesWeights, score: number): number {
  return perOdds * boundedLogOdds(score) + (score > 0 ? any : 0) + (score >= blockedScoreMin ? blocked : 0)
}

/** Near 0 and 1 the odds are limited to about those of 0.05 and 0.95. */
export const boundedLogOdds = (score: number): number => logOdds((score + 0.05) / 1.1) - logOdds(0.05 / 1.1)

const absent = -(2 ** 31)

/** The heaviest words, in the order of the text. Allocates little, since many harmless texts get here. */
function heaviestWords(page: Page, { features, words, count }: Window, weights: Int8Array): string {
  const first = words[0] ?? 0
  const sums = new Int32Array((words[count - 1] ?? first) - first + 1).fill(absent)
  for (let at = 0; at < count; at++) {
    const nth = (words[at] ?? 0) - first
    const before = sums[nth] ?? absent
    sums[nth] = (before === absent ? 0 : before) + (weights[features[at] ?? 0] ?? 0)
  }
  // Signs after the last word belong to no word.
  const wordsMax = Math.min(sums.length, page.wordCount - first)
  const isShown = new Uint8Array(sums.length)
  for (let shown = 0; shown < wordsShownMax; shown++) {
    let heaviest = -1
    for (let nth = 0; nth < wordsMax; nth++)
      if (isShown[nth] === 0 && (sums[nth] ?? absent) > (sums[heaviest] ?? absent)) heaviest = nth
    if (heaviest >= 0) isShown[heaviest] = 1
  }
  let excerpt = ''
  for (let nth = 0; nth < wordsMax; nth++)
    if (isShown[nth] === 1) excerpt += (excerpt === '' ? '' : ' ') + wordAt(page, first + nth)
  return excerpt
}

function wordAt({ units, starts, ends }: Page, word: number): string {
  const start = starts[word] ?? 0
  const end = Math.min(ends[word] ?? 0, start + wordCharactersMax)
  let text = ''
  for (let at = start; at < end; at++) text += String.fromCharCode(units[at] ?? 0)
  return text
}
