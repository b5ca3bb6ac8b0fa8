/** The pattern language of the rules: ideas in order, and how many other words may be between them. */

/**
 * `drop 2 all|prior 3 orders -my`: a word of `drop`, at most two other words, one of `all` or `prior`, at most three,
 * one of `orders`, and no word of `my` among them. An idea is a key of the lexicon.
 */
export interface Pattern {
  readonly slots: readonly Slot[]
  readonly veto: readonly string[]
}

export interface Slot {
  readonly ideas: readonly string[]
  /** How many other words may be between this one and the one before. */
  readonly gapMax: number
}

export function parsePattern(written: string): Pattern {
  const slots: Slot[] = []
  const veto: string[] = []
  let gapMax = 0
  for (const part of written.split(' ')) {
    if (/^\d+$/.test(part)) gapMax = Number(part)
    else if (part.startsWith('-')) veto.push(...part.slice(1).split('|'))
    else {
      slots.push({ ideas: part.split('|'), gapMax })
      gapMax = 0
    }
  }
  return { slots, veto }
}
