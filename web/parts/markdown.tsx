/**
 * Markdown, as models write it, rendered safely: the text becomes React elements and never HTML, so nothing in it runs;
 * pictures and other sites are links that a person may follow, so nothing in it is fetched. Loaded when it is first shown.
 */
import { lazy, Suspense } from 'react'
import styles from './markdown.module.css'

const MarkdownBody = lazy(() => import('./markdown-body.tsx'))

/** Longer text is shown as it is: parsing it would hold up the page. */
const parsedCharsMax = 100_000

export function Markdown({ text, isStreaming = false }: { text: string; isStreaming?: boolean }) {
  const plain = <div className={styles['plain']}>{text}</div>
  if (text.length > parsedCharsMax) return plain
  return (
    <div className={styles['text']} data-streaming={isStreaming || undefined}>
      <Suspense fallback={plain}>
        <MarkdownBody text={text} />
      </Suspense>
    </div>
  )
}
