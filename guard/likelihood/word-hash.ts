/** How words become numbers, and numbers places among the weights: the same in training and in service. */

/** A word is known by its first letters: endings are few in English and many in Russian, and neither says much. */
const stemLetters = 6

const hashSeed = 0x2545f491

/** One more UTF-16 unit of a word. */
function hashOn(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193) ^ (hash >>> 15)
}

/** Sixteen bits that depend on the whole of a hash. */
export function placeOf(hash: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x9e3779b1) >>> 16
}

export function hashOfStem(units: Uint16Array, start: number, end: number): number {
  const stemEnd = Math.min(end, start + stemLetters)
  let hash = hashSeed
  for (let at = start; at < stemEnd; at++) hash = hashOn(hash, units[at] ?? 0)
  return hash
}

export function hashOf(word: string): number {
  let hash = hashSeed
  for (let at = 0; at < word.length; at++) hash = hashOn(hash, word.charCodeAt(at))
  return hash
}
