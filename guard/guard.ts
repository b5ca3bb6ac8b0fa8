/** The guard: judges how much a text, with its disguises undone, looks like an attack on the model. */
import { type Context, type CueMatch, contextOf, weightShare } from './context.ts'
import { type Disguise, undoDisguises } from './disguises.ts'
import { collectFindings, type Findings } from './findings.ts'
import { createLikelihood, type Likelihood } from './likelihood/likelihood.ts'
import { findMarks } from './marks.ts'
import { createMatcher, type Hit, hitsMax } from './matcher.ts'
import { createPage, pageText } from './page.ts'
import { parsePattern } from './pattern.ts'
import { bounded, type ReadText, readPart, readText } from './read-text.ts'
import { type Cue, cues } from './rules/cues.ts'
import type { Rule } from './rules/rule.ts'
import { rules } from './rules/rules.ts'
import { signBits } from './signs.ts'
import type { Source, Verdict } from './verdict.ts'
import { vocabulary } from './vocabulary.ts'
import { createLexiconWords, type Reading, readWords } from './words.ts'

export interface Guard {
  /** Synchronous, in linear time; docs/guard.md has the figures. */
  inspect(text: string, source: Source): Verdict
}

/** Of a longer text the first three quarters of this and the last quarter are read, and a reason says so. */
export const charactersMax = 64 * 1024
/** Disguises are undone in so much of a text, divided between its ends as above: this takes most of the time. */
export const disguisedCharactersMax = 64 * 1024
/** Fewer invisible characters may be there by chance. */
const hiddenCharactersMin = 6

type Meaning = { rule: Rule; cue?: never } | { cue: Cue; rule?: never }

/** The rule or cue of each pattern of the matcher, by index. */
const meanings: readonly (Meaning & { written: string })[] = [
  ...rules.flatMap((rule) => rule.patterns.map((written) => ({ rule, written }))),
  ...(Object.keys(cues) as Cue[]).flatMap((cue) => cues[cue].map((written) => ({ cue, written }))),
]

/** Takes some milliseconds; one guard serves the whole process. */
export function createGuard(likelihood: Likelihood = createLikelihood()): Guard {
  const trie = vocabulary()
  const matcher = createMatcher(
    trie,
    meanings.map(({ written }) => parsePattern(written)),
  )
  const hasRule = { user: matcher.prefilter(rulesFor('user')), untrusted: matcher.prefilter(rulesFor('untrusted')) }
  const page = createPage()
  const otherPage = createPage()
  const words = createLexiconWords()
  const otherWords = createLexiconWords()

  const hasRuleIn = (source: Source, reading: Reading): boolean => {
    readWords(otherWords, page, trie, reading)
    return hasRule[source](otherWords)
  }

  /** True of most texts: no pattern has all its words in them, and there is nothing to undo. */
  const isHarmlessAtFirstSight = (read: ReadText, source: Source): boolean =>
    (read.signs & signsOfAny[source]) === 0 &&
    read.hidden === '' &&
    page.length <= disguisedCharactersMax &&
    !hasRuleIn(source, 'rot13') &&
    !hasRuleIn(source, 'reversed')

  function inspectClosely(read: ReadText, source: Source, hasHits: boolean): Findings {
    const findings = collectFindings(source)
    let hits: Hit[] | undefined
    let context: Context | undefined
    const hitsOfText = () => (hits ??= matcher.find(words))
    const contextOfText = () => (context ??= contextAmong(hitsOfText(), read.text()))

    const add = (found: readonly Hit[], text: string, suffix: string, shareAt: ShareAt) =>
      addHits(findings, source, found, text, suffix, shareAt)
    const addDisguised = ({ name, page: undone, reading, isWhole }: Disguise) => {
      readWords(otherWords, undone, trie, reading)
      if (reading === 'plain') likelihood.read(undone)
      if (!hasRule[source](otherWords)) return
      const found = matcher.find(otherWords)
      const text = pageText(undone)
      if (isWhole) {
        const own = contextAmong(found, text)
        add(found, text, ` (${name})`, (start, end) => weightShare(own, start, end))
      } else {
        // Its place is no longer known: it counts as quoted where the text presents something, else as said.
        const { quotedShare } = contextOfText()
        add(found, text, ` (${name})`, () => (quotedShare < 0.5 ? quotedShare : 1))
      }
    }

    if (hasHits) add(hitsOfText(), read.text(), '', (start, end) => weightShare(contextOfText(), start, end))
    if ((read.signs & signsOfMarks[source]) !== 0)
      for (const { name, weight, start, end } of findMarks(read.text(), source))
        findings.add(name, weight, weightShare(contextOfText(), start, end), read.text().slice(start, end))
    const part = readPart(read, disguisedCharactersMax)
    undoDisguises(part, trie, otherPage, disguisedCharactersMax, addDisguised)
    if (read.hidden.length >= hiddenCharactersMin) findings.add('hidden-text', 0.5, 1, read.hidden)
    return findings
  }

  return {
    inspect(text, source) {
      const read = readText(page, bounded(text, charactersMax))
      readWords(words, page, trie, 'plain')
      likelihood.begin(source)
      likelihood.read(page)
      const hasHits = hasRule[source](words)
      if (!hasHits && text.length <= charactersMax && isHarmlessAtFirstSight(read, source))
        return likelihood.combine(nothingFound)
      const findings = inspectClosely(read, source, hasHits)
      if (text.length > charactersMax) findings.add('not-all-read', 0, 1, `${text.length} characters`)
      return likelihood.combine(findings.verdict())
    },
  }
}

const nothingFound: Verdict = { isBlocked: false, score: 0, reasons: [] }

const signsOfMarks = { user: signBits.marks, untrusted: signBits.marks | signBits.markup }
/** Markup in a user's message means nothing. */
const signsOfAny = { user: ~signBits.markup, untrusted: ~0 }

type ShareAt = (start: number, end: number) => number

/** A rule that has reached its full weight is not added again. */
function addHits(
  findings: Findings,
  source: Source,
  hits: readonly Hit[],
  text: string,
  suffix: string,
  shareAt: ShareAt,
): void {
  const settled = new Set<Rule>()
  for (const { pattern, start, end } of hits) {
    const rule = meanings[pattern]?.rule
    if (!rule || rule.weight[source] === 0 || settled.has(rule)) continue
    const share = shareAt(start, end)
    if (share === 1) settled.add(rule)
    findings.add(rule.name + suffix, rule.weight[source], share, text.slice(start, end))
  }
}

/** Patterns of the rules that have weight for this source. */
const rulesFor = (source: Source): number[] =>
  meanings.flatMap(({ rule }, pattern) => (rule && rule.weight[source] > 0 ? [pattern] : []))

const nothingSpared: Context = { quotes: [], code: [], discussions: [], quotedShare: 1 }

function contextAmong(hits: readonly Hit[], text: string): Context {
  if (hits.length >= hitsMax) return nothingSpared
  const found: CueMatch[] = []
  for (const { pattern, start, end } of hits) {
    const cue = meanings[pattern]?.cue
    if (cue) found.push({ cue, start, end })
  }
  return contextOf(
    text,
    found.sort((a, b) => a.start - b.start),
  )
}
