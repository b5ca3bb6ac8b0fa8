/** Splits a long answer into messages that the bot API accepts, if possible between paragraphs, lines or words. */

/** In the order of preference; a part ends after the separator. */
const separators = ['\n\n', '\n', ' '] as const

/**
 * @param lengthMax UTF-16 units of a part, at least 2
 * @returns parts that make up `text` when joined; none is empty, and none begins or ends within a surrogate pair
 */
export function splitText(text: string, lengthMax: number): string[] {
  if (lengthMax < 2) throw new RangeError('a part must have room for a surrogate pair')
  const parts: string[] = []
  let from = 0
  while (text.length - from > lengthMax) {
    const to = endOfPart(text, from, lengthMax)
    parts.push(text.slice(from, to))
    from = to
  }
  if (from < text.length) parts.push(text.slice(from))
  return parts
}

function endOfPart(text: string, from: number, lengthMax: number): number {
  const whole = text.slice(from, from + lengthMax)
  for (const separator of separators) {
    const at = whole.lastIndexOf(separator)
    // A separator near the beginning would make a very short message.
    if (at !== -1 && at + separator.length >= lengthMax / 4) return from + at + separator.length
  }
  const isPairCut = isHighSurrogate(text, from + lengthMax - 1) && isLowSurrogate(text, from + lengthMax)
  return from + lengthMax - (isPairCut ? 1 : 0)
}

function isHighSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800
}

function isLowSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00
}
