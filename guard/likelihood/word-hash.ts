/** How words become hashes, and hashes indexes of weights: the same in training and in service. */

/** Only the first letters of a word count: endings say little, in English and in Russian. */
const stemLetters = 6

const hashSeed = 0x2545f491

/** One more UTF-16 unit of a word. */
function hashOn(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193) ^ (hash >>> 15)
}

/** Sixteen bits that depend on the whole of a hash. */
export function featureOf(hash: number): number {
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
