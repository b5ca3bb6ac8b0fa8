/** Shortens a text by leaving out its middle, with a note in that place: beginnings and ends matter most. */

export interface Cut {
  /** What is left out: the characters from `from` up to `to` (exclusive). */
  from: number
  to: number
  /** Of the whole text. */
  length: number
}

/**
 * @param charactersMax UTF-16 units of what comes back, the note included
 * @param headShare how much of the remaining text is the beginning, 0 to 1
 * @param note stands where something is left out; where not even the note fits, the plain beginning comes back
 */
export function cutMiddle(text: string, charactersMax: number, headShare: number, note: (cut: Cut) => string): string {
  if (text.length <= charactersMax) return text
  const { length } = text
  // The longest that it can become: numbers have no more digits than these.
  const noteMax = note({ from: length, to: 2 * length, length }).length
  const remaining = charactersMax - noteMax
  if (remaining <= 0) return text.slice(0, betweenCharacters(text, Math.max(0, charactersMax)))
  const head = Math.floor(remaining * headShare)
  const from = betweenCharacters(text, head)
  const to = afterCharacter(text, length - (remaining - head))
  return text.slice(0, from) + note({ from, to, length }) + text.slice(to)
}

/** Not inside a surrogate pair: before it. */
function betweenCharacters(text: string, at: number): number {
  return isInsidePair(text, at) ? at - 1 : at
}

function afterCharacter(text: string, at: number): number {
  return isInsidePair(text, at) ? at + 1 : at
}

function isInsidePair(text: string, at: number): boolean {
  return isBetween(text.charCodeAt(at), 0xdc00, 0xdfff) && isBetween(text.charCodeAt(at - 1), 0xd800, 0xdbff)
}

function isBetween(unit: number, low: number, high: number): boolean {
  return unit >= low && unit <= high
}
