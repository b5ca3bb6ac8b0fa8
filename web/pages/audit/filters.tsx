/** The filters of the audit log. */
import { Button, Group } from '@mantine/core'
import { FilterInput } from '../../parts/filter-input.tsx'
import { useText } from '../../text/text.ts'
import { auditText } from './text.ts'

/** Times in the format of the browser's `datetime-local` field. */
export const noFilters = { actor: '', action: '', target: '', from: '', to: '' }
export type Filters = typeof noFilters

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
  const field = (name: keyof Filters) => ({
    value: filters[name],
    onFilter: (value: string) => onChange({ [name]: value }),
  })
  return (
    <Group align="flex-end" gap="sm">
      <FilterInput label={t('actor')} placeholder={t('actorHint')} maxLength={200} w={140} {...field('actor')} />
      <FilterInput label={t('action')} placeholder={t('actionHint')} maxLength={100} w={140} {...field('action')} />
      <FilterInput label={t('target')} placeholder={t('targetHint')} maxLength={500} w={160} {...field('target')} />
      <FilterInput label={t('from')} type="datetime-local" w={200} {...field('from')} />
      <FilterInput label={t('to')} type="datetime-local" w={200} {...field('to')} />
      {Object.values(filters).some((value) => value !== '') && (
        <Button variant="subtle" onClick={() => onChange(noFilters)}>
          {t('clear')}
        </Button>
      )}
    </Group>
  )
}
