/** The filters of the audit log. Typed text goes into the address when typing pauses. */
import { Button, Group, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { useText } from '../../text/text.ts'
import { auditText } from './text.ts'

/** Times in the format of the browser's `datetime-local` field. */
export const noFilters = { actor: '', action: '', target: '', from: '', to: '' }
export type Filters = typeof noFilters

const settledMs = 300

/** The API's filters; an incomplete time is ignored. */
export function queryOf({ actor, action, target, from, to }: Filters) {
  return {
    ...(actor !== '' && { actor }),
    ...(action !== '' && { action }),
    ...(target !== '' && { target }),
    ...(isTime(from) && { from: new Date(from).toISOString() }),
    ...(isTime(to) && { to: new Date(to).toISOString() }),
  }
}

const isTime = (local: string): boolean => local !== '' && !Number.isNaN(Date.parse(local))

export function FilterBar({ filters, onChange }: { filters: Filters; onChange(change: Partial<Filters>): void }) {
  const t = useText(auditText)
  const [input, setInput] = useState(filters)
  // The filters also change through links and Back.
  useEffect(() => setInput(filters), [filters])
  const settle = useDebouncedCallback(onChange, settledMs)
  const field = (name: keyof Filters) => ({
    value: input[name],
    onChange: (event: { currentTarget: HTMLInputElement }) => {
      const next = { ...input, [name]: event.currentTarget.value }
      setInput(next)
      settle(next)
    },
  })
  return (
    <Group align="flex-end" gap="sm">
      <TextInput label={t('actor')} placeholder={t('actorHint')} maxLength={200} w={140} {...field('actor')} />
      <TextInput label={t('action')} placeholder={t('actionHint')} maxLength={100} w={140} {...field('action')} />
      <TextInput label={t('target')} placeholder={t('targetHint')} maxLength={500} w={160} {...field('target')} />
      <TextInput label={t('from')} type="datetime-local" w={200} {...field('from')} />
      <TextInput label={t('to')} type="datetime-local" w={200} {...field('to')} />
      {Object.values(filters).some((value) => value !== '') && (
        <Button variant="subtle" onClick={() => onChange(noFilters)}>
          {t('clear')}
        </Button>
      )}
    </Group>
  )
}
