/**
 * How deep a JSON text nests, found before it is parsed: JSON.parse takes a million levels, and what walks its result
 * recursively dies at a few thousand.
 */

const quote = 0x22
const backslash = 0x5c

/**
 * Whether `bytes` nests at most `depthMax` deep. Linear, and knows strings. Text that is no JSON gets some answer; the
 * parser then says what is wrong with it.
 */
export function isShallow(bytes: Buffer, depthMax: number): boolean {
  return hasFewOpenings(bytes, depthMax) || scan(bytes, depthMax)
}

/** Most bodies have fewer brackets, strings included, than the limit allows levels: two searches in native code say so. */
function hasFewOpenings(bytes: Buffer, most: number): boolean {
  let left = most
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

/** Where the string that begins at `at` closes; jumps from quote to quote, and looks back at the backslashes before each. */
function endOfString(bytes: Buffer, at: number): number {
  for (let end = bytes.indexOf(quote, at); end >= 0; end = bytes.indexOf(quote, end + 1)) {
    let escapes = 0
    while (end - 1 - escapes >= at && bytes[end - 1 - escapes] === backslash) escapes++
    if (escapes % 2 === 0) return end
  }
  return bytes.length
}
