/** A block of code with its language and a copy button; coloured once the colours are there. */
import styles from './code-block.module.css'
import { CopyButton } from './copy-button.tsx'
import { useCodeColours } from './use-code-colours.ts'

/** @param whole what is copied, where only its beginning is shown */
export function CodeBlock({ code, language = '', whole = code }: { code: string; language?: string; whole?: string }) {
  const pieces = useCodeColours(code, language)
  const colouredText = pieces?.map(({ text }) => text).join('') ?? ''
  // Pieces of an older text are shown where it has only grown since, as an answer that is being written does.
  const isCurrent = code.startsWith(colouredText)
  return (
    <div className={styles['block']}>
      <div className={styles['head']}>
        <span>{language}</span>
        <CopyButton text={() => whole} variant="subtle" color="gray" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll by keyboard too */}
      <pre tabIndex={0}>
        <code>
          {isCurrent &&
            pieces?.map(({ text, kind }, at) =>
              kind === undefined ? (
                text
              ) : (
                // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a code do not move
                <span key={at} data-kind={kind}>
                  {text}
                </span>
              ),
            )}
          {isCurrent ? code.slice(colouredText.length) : code}
        </code>
      </pre>
    </div>
  )
}
