/** Where a text quotes, and where it talks about attacks: there the same words weigh less. */
import type { Cue } from './rules/cues.ts'
import { isWithin, type Span } from './spans.ts'

export interface Context {
  /** Quoted parts, in order, without overlaps. */
  readonly quotes: readonly Span[]
  /** The quotes that look like program code. */
  readonly code: readonly Span[]
  /** Sentences that talk about attacks, in the same form. */
  readonly discussions: readonly Span[]
  /** The share of its weight that a quoted part keeps. */
  readonly quotedShare: number
}

/** Quotes beyond this number count as said. */
const spansMax = 2_000
/** A longer part is no quotation. */
const quoteCharactersMax = 4_000
const sentenceCharactersMax = 400
/** How far after its cue the colon may be. */
const introductionCharactersMax = 120

/** Each part ends at the next mark of its kind, so that no character is read twice. */
const quotations = new RegExp(
  [
    `\`\`\`[^\`]{1,${quoteCharactersMax}}\`\`\``,
    '`[^`\\n]{1,400}`',
    `"[^"]{1,${quoteCharactersMax}}"`,
    `“[^“”]{1,${quoteCharactersMax}}”`,
    `«[^«»]{1,${quoteCharactersMax}}»`,
    `„[^„“”]{1,${quoteCharactersMax}}[“”]`,
    "(?<![\\p{L}\\p{N}])'[^'\\n]{2,400}'(?![\\p{L}\\p{N}])",
    '^[ \\t]{0,3}>[^\\n]{0,1000}',
  ].join('|'),
  'gmu',
)

/** Not found in prose. */
const programSigns = /[=;{}]|\w\(/
const letter = /\p{L}/gu
const ownLettersMin = 6
const codeShare = 0.4
const crossingShare = 0.4
const discussedShare = 0.4

export interface CueMatch extends Span {
  readonly cue: Cue
}

/** @param found in order; those within quotations are the words of somebody else and do not count */
export function contextOf(text: string, found: readonly CueMatch[]): Context {
  const all = findQuotes(text)
  const quotes = hasOwnWords(text, all) ? all : []
  const own = found.filter(({ start }) => !isWithin(quotes, start))
  const has = (cue: Cue) => own.some((one) => one.cue === cue)
  const shownFrom = introductionEnd(text, own)
  const shown = shownFrom === undefined ? [] : [{ start: shownFrom, end: text.length }]
  return {
    quotes: shown.length > 0 ? [...quotes.filter(({ end }) => end <= (shownFrom ?? 0)), ...shown] : quotes,
    code: quotes.filter(({ start, end }) => text.startsWith('```', start) && programSigns.test(text.slice(start, end))),
    discussions: sentences(
      text,
      own.filter(({ cue }) => cue === 'discussion'),
    ),
    quotedShare: has('obedience') ? 1 : has('presentation') || has('discussion') ? 0.15 : has('narration') ? 0.4 : 0.5,
  }
}

/** @returns what a hit at this place weighs, 1 being its whole weight */
export function weightShare({ quotes, code, discussions, quotedShare }: Context, at: number, end: number): number {
  if (isWithin(quotes, at)) return isWithin(code, at) ? Math.min(quotedShare, codeShare) : quotedShare
  // Words before a quotation and words within it are seldom one sentence.
  if (quotedShare < 0.4 && isWithin(quotes, end - 1)) return crossingShare
  return isWithin(discussions, at) ? discussedShare : 1
}

/** Whoever sends nothing but a quotation says it himself. */
function hasOwnWords(text: string, quotes: readonly Span[]): boolean {
  let letters = 0
  let at = 0
  for (const { start, end } of [...quotes, { start: text.length, end: text.length }]) {
    for (const _ of text.slice(at, start).matchAll(letter)) if (++letters >= ownLettersMin) return true
    at = end
  }
  return false
}

function findQuotes(text: string): Span[] {
  const quotes: Span[] = []
  for (const match of text.matchAll(quotations)) {
    quotes.push({ start: match.index, end: match.index + match[0].length })
    if (quotes.length >= spansMax) break
  }
  return quotes
}

/** "Translate into Russian: …" */
function introductionEnd(text: string, own: readonly CueMatch[]): number | undefined {
  for (const { cue, end } of own) {
    if (cue !== 'presentation') continue
    const rest = text.slice(end, end + introductionCharactersMax)
    const colon = rest.search(/:(?=\s|$)|\n\n/)
    if (colon >= 0 && !/[.!?]\s/.test(rest.slice(0, colon))) return end + colon
  }
  return undefined
}

function sentences(text: string, own: readonly CueMatch[]): Span[] {
  const found: Span[] = []
  for (const { start, end } of own) {
    const before = found.at(-1)
    if (before && end <= before.end) continue
    // A cue that goes on past the end of its sentence is two sentences.
    if (sentenceAround(text, start, start).end < end) continue
    const sentence = sentenceAround(text, Math.max(start, before?.end ?? 0), end)
    found.push(before && sentence.start < before.end ? { start: before.end, end: sentence.end } : sentence)
    if (found.length >= spansMax) break
  }
  return found
}

function sentenceAround(text: string, start: number, end: number): Span {
  let from = start
  while (from > 0 && start - from < sentenceCharactersMax && !endsSentence(text, from - 1)) from--
  let to = end
  while (to < text.length && to - end < sentenceCharactersMax && !endsSentence(text, to)) to++
  return { start: from, end: to }
}

function endsSentence(text: string, at: number): boolean {
  const sign = text[at]
  if (sign === '\n') return true
  return (sign === '.' || sign === '!' || sign === '?') && /^\s?$/.test(text[at + 1] ?? '')
}
