/** How words become numbers, and numbers places among the weights: the same in training and in service. */

/** A word is known by its first letters: endings are few in English and many in Russian, and neither says much. */
export const stemLetters = 6

const hashSeed = 0x2545f491

/** One more UTF-16 unit of a word. */
function hashOn(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193) ^ (hash >>> 15)
}

/** Sixteen bits that depend on the whole of a hash. */
export function placeOf(hash: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x9e3779b1) >>> 16
}

/**
 * @param beginnings of each number of letters the hash of so many is left here
 * @returns the hash of the whole word
 */
export function hashUnits(units: Uint16Array, start: number, end: number, beginnings: Int32Array): number {
  let hash = hashSeed
  let at = start
  for (let letters = 1; at < end && letters < beginnings.length; at++, letters++) {
    hash = hashOn(hash, units[at] ?? 0)
    beginnings[letters] = hash
  }
  for (; at < end; at++) hash = hashOn(hash, units[at] ?? 0)
  return hash
}

export function hashOf(word: string): number {
  let hash = hashSeed
  for (let at = 0; at < word.length; at++) hash = hashOn(hash, word.charCodeAt(at))
  return hash
}
