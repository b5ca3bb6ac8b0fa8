/** Which events a subscription is of: all about something, or single ones. */
import { Checkbox, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useText } from '../../text/text.ts'
import { kindsText } from './kinds-text.ts'
import { isNoun, kindText, nounOf } from './subscription.ts'
import { webhooksText } from './text.ts'

interface KindsFieldProps {
  /** All that there are. */
  kinds: readonly string[]
  chosen: readonly string[]
  error: string | undefined
  onChange(chosen: string[]): void
}

export function KindsField({ kinds, chosen, error, onChange }: KindsFieldProps) {
  const t = useText(webhooksText)
  const k = useText(kindsText)
  // It stays open for whoever takes the last one away.
  const [hadSingle] = useState(() => chosen.some((kind) => !isNoun(kind)))
  const isWhole = (kind: string) => chosen.includes(nounOf(kind))
  const single = kinds.filter((kind) => !isNoun(kind))
  const toggle = (kind: string) => {
    const others = chosen.filter((one) => one !== kind)
    if (others.length < chosen.length) return onChange(others)
    // All about something holds its single ones.
    onChange([...(isNoun(kind) ? others.filter((one) => nounOf(one) !== kind) : others), kind])
  }
  const box = (kind: string) => (
    <Checkbox
      key={kind}
      label={kindText(kind, k)}
      checked={chosen.includes(kind) || (!isNoun(kind) && isWhole(kind))}
      disabled={!isNoun(kind) && isWhole(kind)}
      onChange={() => toggle(kind)}
    />
  )
  return (
    <fieldset style={{ margin: 0, padding: 0, border: 0 }}>
      <legend style={{ padding: 0, marginBottom: 6 }}>{t('allOf')}</legend>
      <Stack gap={10}>
        {kinds.filter(isNoun).map(box)}
        <details open={hadSingle || undefined}>
          <summary>{t('single')}</summary>
          <Stack gap={10} mt={10}>
            {single.map(box)}
          </Stack>
        </details>
        {error !== undefined && (
          <Text size="sm" c="red" role="alert">
            {error}
          </Text>
        )}
      </Stack>
    </fieldset>
  )
}
