/** The filters of the audit log: the chosen ones as chips, the others behind "+ Filter"; the open entry stands among them. */
import { NativeSelect } from '@mantine/core'
import { PeriodChip } from '../../parts/facet-filters.tsx'
import { AddFilter, FilterChip, FilterBar as Row } from '../../parts/filter-bar.tsx'
import { FilterInput } from '../../parts/filter-input.tsx'
import { shortId } from '../../parts/id-text.tsx'
import { useText } from '../../text/text.ts'
import { actionText, areaText, filterWords } from './action-text.ts'
import styles from './audit.module.css'
import { auditText } from './text.ts'

/** Times in the format of the browser's `datetime-local` field. */
export const noFilters = { actor: '', action: '', target: '', from: '', to: '', open: '' }
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

interface FilterBarProps {
  filters: Filters
  onChange(change: Partial<Filters>): void
  /** Of an id in a filter, where it is known. */
  nameOf(id: string): string | undefined
}

export function FilterBar({ filters, onChange, nameOf }: FilterBarProps) {
  const t = useText(auditText)
  const words = useText(actionText)
  const area = useText(areaText)
  const field = (name: keyof Filters) => ({
    value: filters[name],
    onFilter: (value: string) => onChange({ [name]: value.trim() }),
  })
  const chip = (name: 'actor' | 'action' | 'target', value: string) =>
    filters[name] !== '' && <FilterChip name={t(titles[name])} value={value} onClear={() => onChange({ [name]: '' })} />
  const areas = Object.keys(areaText.en) as (keyof typeof areaText.en)[]
  const isOneAction = filters.action !== '' && !areas.some((name) => filters.action === `${name}.`)
  return (
    <Row>
      {chip('actor', nameOf(filters.actor) ?? shortId(filters.actor))}
      {chip('action', filterWords(words, area, filters.action))}
      {chip('target', nameOf(filters.target) ?? shortId(filters.target))}
      <PeriodChip
        name={t('period')}
        since={filters.from}
        until={filters.to}
        onClear={() => onChange({ from: '', to: '' })}
      />
      <AddFilter>
        {() => (
          <div className={styles['fields']}>
            <FilterInput label={t('actor')} placeholder={t('actorHint')} {...field('actor')} />
            <NativeSelect
              label={t('kind')}
              value={filters.action}
              onChange={(event) => onChange({ action: event.currentTarget.value })}
              data={[
                { value: '', label: t('anyKind') },
                ...(isOneAction ? [{ value: filters.action, label: filterWords(words, area, filters.action) }] : []),
                ...areas.map((name) => ({ value: `${name}.`, label: area(name) })),
              ]}
            />
            <FilterInput label={t('target')} placeholder={t('targetHint')} maxLength={500} {...field('target')} />
            <FilterInput label={t('from')} type="datetime-local" {...field('from')} />
            <FilterInput label={t('to')} type="datetime-local" {...field('to')} />
          </div>
        )}
      </AddFilter>
    </Row>
  )
}

const titles = { actor: 'actor', action: 'kind', target: 'target' } as const
