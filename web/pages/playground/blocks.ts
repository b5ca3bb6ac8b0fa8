/** A growing text in blocks: those behind the last never change again, so that a long answer costs no more than a short one. */

const blockCharactersLeast = 1_500

/** Cut behind line ends, at places that stay where they are as the text grows. */
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
