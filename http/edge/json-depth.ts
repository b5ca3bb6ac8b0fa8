/**
 * Bounds the depth of a JSON text before it is parsed: JSON.parse accepts a million levels, but recursive code that walks
 * the result overflows the stack at a few thousand.
 */

const quote = 0x22
const backslash = 0x5c

/**
 * Whether `bytes` nests at most `depthMax` levels deep, not counting brackets in strings. Linear. The result for text that
 * is not JSON does not matter: the parser refuses it.
 */
export function isShallow(bytes: Buffer, depthMax: number): boolean {
  return hasFewOpenings(bytes, depthMax) || scan(bytes, depthMax)
}

/** A fast first check: most bodies have fewer opening brackets in all than the limit allows levels. */
function hasFewOpenings(bytes: Buffer, max: number): boolean {
  let left = max
  for (const opening of [0x7b, 0x5b]) {
    for (let at = bytes.indexOf(opening); at >= 0; at = bytes.indexOf(opening, at + 1)) {
      if (--left < 0) return false
    }
  }
  return true
}

function scan(bytes: Buffer, depthMax: number): boolean {
  let depth = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === 0x7b || byte === 0x5b) {
      if (++depth > depthMax) return false
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--
    } else if (byte === quote) {
      at = endOfString(bytes, at + 1)
    }
  }
  return true
}

/** Where the string that begins at `at` ends: jumps from quote to quote, and counts the backslashes before each. */
function endOfString(bytes: Buffer, at: number): number {
  for (let end = bytes.indexOf(quote, at); end >= 0; end = bytes.indexOf(quote, end + 1)) {
    let escapes = 0
    while (end - 1 - escapes >= at && bytes[end - 1 - escapes] === backslash) escapes++
    if (escapes % 2 === 0) return end
  }
  return bytes.length
}
