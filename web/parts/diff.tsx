/** A difference of two texts: a sign besides the colour, numbers of lines, words marked within a changed line. */
import { useText } from '../text/text.ts'
import styles from './diff.module.css'
import { changedWords, folded, type Line, type Piece } from './line-diff.ts'
import { partsText } from './text.ts'

const signs: Record<Line['is'], string> = { same: '\u00a0', removed: '−', added: '+' }

export function Diff({ lines }: { lines: readonly Line[] }) {
  const p = useText(partsText)
  const partners = partnersOf(lines)
  return (
    <div className={styles['diff']}>
      {folded(lines).map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name, and all lines are rendered again
        <div key={at} data-is={line.is}>
          {line.is === 'folded' ? (
            p('folded', { n: line.count })
          ) : (
            <>
              <span className={styles['sign']}>{signs[line.is]}</span>
              <Words line={line} partner={partners.get(line)} />
            </>
          )}
        </div>
      ))}
    </div>
  )
}

/** A removed line and the added one that took its place. */
function partnersOf(lines: readonly Line[]): Map<Line, Line> {
  const partners = new Map<Line, Line>()
  for (let at = 0; at < lines.length; ) {
    const removed = runOf(lines, at, 'removed')
    const added = runOf(lines, at + removed.length, 'added')
    for (const [index, old] of removed.entries()) {
      const now = added[index]
      if (now === undefined) break
      partners.set(old, now)
      partners.set(now, old)
    }
    at += Math.max(1, removed.length + added.length)
  }
  return partners
}

function runOf(lines: readonly Line[], start: number, is: Line['is']): Line[] {
  let end = start
  while (lines[end]?.is === is) end++
  return lines.slice(start, end)
}

function Words({ line, partner }: { line: Line; partner: Line | undefined }) {
  if (!partner) return <span>{line.text}</span>
  const Mark = line.is === 'added' ? 'ins' : 'del'
  return (
    <span>
      {changedWords(line.text, partner.text).map(({ text, isChanged }: Piece, at) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: the words of a line do not move
        isChanged ? <Mark key={at}>{text}</Mark> : text,
      )}
    </span>
  )
}
