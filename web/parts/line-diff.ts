/** What differs between two texts, line by line, and within a changed line word by word. */

export interface Line {
  is: 'same' | 'removed' | 'added'
  text: string
}

/** Beyond this the two texts are shown whole, one after the other: the comparison needs a table of lines × lines. */
const comparedMax = 1_500

export const linesAs = (is: Line['is'], texts: readonly string[]): Line[] => texts.map((text) => ({ is, text }))

/** The longest common subsequence of lines; the rest is removed or added. */
export function diffLines(before: string, after: string): Line[] {
  const old = before.split('\n')
  const now = after.split('\n')
  let start = 0
  let oldEnd = old.length
  let nowEnd = now.length
  while (start < oldEnd && start < nowEnd && old[start] === now[start]) start++
  while (oldEnd > start && nowEnd > start && old[oldEnd - 1] === now[nowEnd - 1]) {
    oldEnd--
    nowEnd--
  }
  const removed = old.slice(start, oldEnd)
  const added = now.slice(start, nowEnd)
  const isTooLong = removed.length > comparedMax || added.length > comparedMax
  const middle = isTooLong ? [...linesAs('removed', removed), ...linesAs('added', added)] : compared(removed, added)
  return [...linesAs('same', old.slice(0, start)), ...middle, ...linesAs('same', old.slice(oldEnd))]
}

function compared(removed: string[], added: string[]): Line[] {
  const width = added.length + 1
  // common[i * width + j]: the length of the longest common subsequence of the lines from i and from j on.
  const common = new Uint16Array((removed.length + 1) * width)
  const at = (i: number, j: number): number => common[i * width + j] ?? 0
  for (let i = removed.length - 1; i >= 0; i--)
    for (let j = added.length - 1; j >= 0; j--)
      common[i * width + j] = removed[i] === added[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const lines: Line[] = []
  let i = 0
  let j = 0
  while (i < removed.length || j < added.length) {
    const old = removed[i]
    const now = added[j]
    if (old !== undefined && old === now) {
      lines.push({ is: 'same', text: old })
      i++
      j++
    } else if (old !== undefined && (now === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ is: 'removed', text: old })
      i++
    } else {
      lines.push({ is: 'added', text: now ?? '' })
      j++
    }
  }
  return lines
}

/** Long unchanged parts are folded, except for a few lines around each change. */
export function folded(lines: readonly Line[], around = 3): (Line | { is: 'folded'; count: number })[] {
  const isNear = lines.map((_, at) =>
    lines.slice(Math.max(0, at - around), at + around + 1).some(({ is }) => is !== 'same'),
  )
  const result: (Line | { is: 'folded'; count: number })[] = []
  for (const [at, line] of lines.entries()) {
    const last = result.at(-1)
    if (isNear[at]) result.push(line)
    else if (last?.is === 'folded') last.count++
    else result.push({ is: 'folded', count: 1 })
  }
  return result
}

export interface Piece {
  text: string
  isChanged: boolean
}

/** Past this a line is marked as a whole. */
const wordsMax = 400

/** The words of a line that was changed into another: what both have, and what only this one has. */
export function changedWords(line: string, other: string): Piece[] {
  const words = (text: string) => text.match(/\s+|[\p{L}\p{N}_]+|./gsu) ?? []
  const mine = words(line)
  const theirs = words(other)
  if (mine.length > wordsMax || theirs.length > wordsMax) return [{ text: line, isChanged: true }]
  const pieces: Piece[] = []
  for (const { is, text } of compared(mine, theirs)) {
    if (is === 'added') continue
    const isChanged = is === 'removed'
    const last = pieces.at(-1)
    if (last?.isChanged === isChanged) last.text += text
    else pieces.push({ text, isChanged })
  }
  return pieces
}
