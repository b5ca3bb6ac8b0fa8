/** A block of code with its language and a copy button; coloured once the colours are loaded. */
import { useEffect, useState } from 'react'
import styles from './code-block.module.css'
import type { CodePiece } from './code-colours.ts'
import { CopyButton } from './copy-button.tsx'

/** Longer code stays in one colour. */
const colouredCharsMax = 20_000

/** @param whole what is copied, where only its beginning is shown */
export function CodeBlock({ code, language = '', whole = code }: { code: string; language?: string; whole?: string }) {
  const [pieces, setPieces] = useState<readonly CodePiece[]>()
  useEffect(() => {
    if (language === '' || code.length > colouredCharsMax) return setPieces(undefined)
    let isPast = false
    void import('./code-colours.ts').then(
      ({ coloured }) => isPast || setPieces(coloured(code, language)),
      () => undefined, // without colours it is still code
    )
    return () => {
      isPast = true
    }
  }, [code, language])
  // Pieces of an older text would show it: they are of this one only if they add up to it.
  const isCurrent = pieces?.map(({ text }) => text).join('') === code
  return (
    <div className={styles['block']}>
      <div className={styles['head']}>
        <span>{language}</span>
        <CopyButton text={() => whole} variant="subtle" color="gray" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll by keyboard too */}
      <pre tabIndex={0}>
        <code>
          {isCurrent
            ? pieces?.map(({ text, kind }, at) =>
                kind === undefined ? (
                  text
                ) : (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a code do not move
                  <span key={at} data-kind={kind}>
                    {text}
                  </span>
                ),
              )
            : code}
        </code>
      </pre>
    </div>
  )
}
