/** A growing text in blocks: all but the last never change, so that a long answer renders as fast as a short one. */

const blockCharactersLeast = 1_500

/** Split after line ends, at positions that do not move as the text grows. */
export function blocksOf(text: string): string[] {
  const blocks: string[] = []
  let from = 0
  for (;;) {
    const end = text.indexOf('\n', from + blockCharactersLeast)
    if (end < 0) break
    blocks.push(text.slice(from, end + 1))
    from = end + 1
  }
  if (from < text.length) blocks.push(text.slice(from))
  return blocks
}
