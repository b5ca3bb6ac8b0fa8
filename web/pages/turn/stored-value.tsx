/** A value as it was stored: text as text, everything else as JSON; the first part of a long one, the rest on demand. */
import { Button, Code, Text } from '@mantine/core'
import { useState } from 'react'
import { useText } from '../../text/text.ts'
import { turnText } from './text.ts'

const shownMax = 8_000

export function StoredValue({ label, value }: { label: string; value: unknown }) {
  const t = useText(turnText)
  const [isWhole, setWhole] = useState(false)
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  const isCut = !isWhole && text.length > shownMax
  return (
    <>
      <Text size="sm" c="dimmed" mt={4}>
        {label}
      </Text>
      <Code block tabIndex={0} role="region" aria-label={label}>
        {isCut ? `${text.slice(0, shownMax)}…` : text}
      </Code>
      {isCut && (
        <Button size="xs" variant="subtle" onClick={() => setWhole(true)}>
          {t('whole', { n: text.length })}
        </Button>
      )}
    </>
  )
}
