/** The guard: reads a text in every way that it may be meant, and reckons how much it looks like an attack on the model. */
import { type Context, contextOf, type FoundCue, shareOfWeight } from './context.ts'
import { disguisesOf } from './disguises.ts'
import { gather } from './findings.ts'
import { type Folded, fold } from './fold.ts'
import { lexicon } from './lexicon.ts'
import { findMarks } from './marks.ts'
import { createMatcher, type Hit, hitsMax } from './matcher.ts'
import { parsePattern } from './pattern.ts'
import { type Cue, cues } from './rules/cues.ts'
import type { Rule } from './rules/rule.ts'
import { rules } from './rules/rules.ts'
import { buildTrie } from './trie.ts'
import type { Source, Verdict } from './verdict.ts'

export interface Guard {
  /** Synchronous, and its time grows with the length alone; docs/guard.md has the figures. */
  inspect(text: string, source: Source): Verdict
}

/** Of a longer text the first three quarters of this and the last quarter are read, and a reason says so. */
export const charactersMax = 64 * 1024
/** In so much of a text disguises are looked for, from both ends in the same way: undoing them takes most of the time. */
export const disguisedCharactersMax = 64 * 1024
/** Nobody hides so much by chance. */
const hiddenCharactersMin = 6

type Meaning = { rule: Rule; cue?: never } | { cue: Cue; rule?: never }

/** What each pattern of the matcher stands for, by its index. */
const meanings: readonly (Meaning & { written: string })[] = [
  ...rules.flatMap((rule) => rule.patterns.map((written) => ({ rule, written }))),
  ...(Object.keys(cues) as Cue[]).flatMap((cue) => cues[cue].map((written) => ({ cue, written }))),
]

/** Takes some milliseconds; one guard serves the whole process. */
export function createGuard(): Guard {
  const trie = buildTrie(lexicon)
  const matcher = createMatcher(
    trie,
    meanings.map(({ written }) => parsePattern(written)),
  )
  return {
    inspect(given, source) {
      const findings = gather(source)
      const addHits = (
        hits: readonly Hit[],
        text: string,
        suffix: string,
        shareAt: (start: number, end: number) => number,
      ) => {
        const settled = new Set<Rule>()
        for (const { pattern, start, end } of hits) {
          const rule = meanings[pattern]?.rule
          if (!rule || rule.weight[source] === 0 || settled.has(rule)) continue
          const share = shareAt(start, end)
          if (share === 1) settled.add(rule)
          findings.add(rule.name + suffix, rule.weight[source], share, text.slice(start, end))
        }
      }
      const folded = fold(bounded(given, charactersMax))
      const { text } = folded
      const hits = matcher.find(text, 'plain')
      const context = contextAmong(hits, text)
      addHits(hits, text, '', (at, end) => shareOfWeight(context, at, end))
      for (const { name, weight, start, end } of findMarks(text, source))
        findings.add(name, weight, shareOfWeight(context, start, end), text.slice(start, end))
      // Where it stood is not known any more: as quoted where the text presents something, else as said.
      const shareWithin = context.quotedShare < 0.5 ? context.quotedShare : 1
      for (const { name, text: other, reading, isWhole } of disguisesOf(inPart(folded), trie, disguisedCharactersMax)) {
        const found = matcher.find(other, reading)
        const own = isWhole ? contextAmong(found, other) : undefined
        addHits(found, other, ` (${name})`, (at, end) => (own ? shareOfWeight(own, at, end) : shareWithin))
      }
      if (folded.hidden.length >= hiddenCharactersMin) findings.add('hidden-text', 0.5, 1, folded.hidden)
      if (given.length > charactersMax) findings.add('not-all-read', 0, 1, `${given.length} characters`)
      return findings.verdict()
    },
  }
}

const nothingSpared: Context = { quotes: [], code: [], discussions: [], quotedShare: 1 }

function bounded(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  const tail = lengthMax / 4
  return `${text.slice(0, lengthMax - tail - 1)}\n${text.slice(-tail)}`
}

function inPart({ text, cased, hidden }: Folded): Folded {
  return {
    text: bounded(text, disguisedCharactersMax),
    cased: bounded(cased, disguisedCharactersMax),
    hidden: bounded(hidden, disguisedCharactersMax),
  }
}

function contextAmong(hits: readonly Hit[], text: string): Context {
  if (hits.length >= hitsMax) return nothingSpared
  const found: FoundCue[] = []
  for (const { pattern, start, end } of hits) {
    const cue = meanings[pattern]?.cue
    if (cue) found.push({ cue, start, end })
  }
  return contextOf(
    text,
    found.sort((a, b) => a.start - b.start),
  )
}
