/** A value as it was stored: text as text, everything else as JSON; the first part of a long one, the rest on demand. */
import { Button } from '@mantine/core'
import { useState } from 'react'
import { CodeBlock } from '../../parts/code-block.tsx'
import { useText } from '../../text/text.ts'
import { turnText } from './text.ts'

const shownMax = 8_000

export function StoredValue({ label, value }: { label: string; value: unknown }) {
  const t = useText(turnText)
  const [isWhole, setWhole] = useState(false)
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  const isCut = !isWhole && text.length > shownMax
  return (
    // biome-ignore lint/a11y/useSemanticElements: no group of fields
    <div role="group" aria-label={label}>
      <h3>{label}</h3>
      <CodeBlock
        code={isCut ? `${text.slice(0, shownMax)}…` : text}
        whole={text}
        language={typeof value === 'string' || isCut ? '' : 'json'}
      />
      {isCut && (
        <Button size="xs" variant="subtle" onClick={() => setWhole(true)}>
          {t('whole', { n: text.length })}
        </Button>
      )}
    </div>
  )
}
