/** Usage by group as a table, sorted by any column, with the sum of all below. */
import { Anchor, Group, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { numberText, percentText, shortNumberText } from '../../parts/format.ts'
import { linkTo } from '../../parts/link-to.tsx'
import { SmallTable } from '../../parts/small-table.tsx'
import { durationText } from '../../parts/time.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import styles from './analytics.module.css'
import { groupColours } from './chart.tsx'
import { analyticsText } from './text.ts'
import {
  type Analytics,
  changeOf,
  changeText,
  costOf,
  costText,
  type Grouping,
  turnFilters,
  type Usage,
  type UsageGroup,
} from './usage.ts'

interface Measure {
  key: string
  title: string
  value(usage: Usage): number | null
  text(usage: Usage): string
  /** Narrow screens do without it. */
  isExtra?: boolean
}

interface BreakdownProps {
  of: Analytics
  groupBy: Grouping
  currency: string
  /** The time, for a link to the turns. */
  since: { since: string; until: string }
  nameOf(value: string | null): string
  onChoose(value: string): void
}

export function Breakdown({ of, groupBy, currency, since, nameOf, onChoose }: BreakdownProps) {
  const t = useText(analyticsText)
  const language = useLanguage()
  const [sort, setSort] = useState({ key: 'cost', isUp: false })
  const measures = useMeasures(currency)
  const sorted = sortedBy(
    of.groups,
    measures.find(({ key }) => key === sort.key),
    sort.isUp,
  )
  const most = Math.max(1, ...of.groups.map(({ usage }) => costOf(usage, currency) ?? 0))
  const colourOf = (group: UsageGroup) => groupColours[of.groups.indexOf(group)] ?? 'c6'
  const choose = (key: string) => setSort((before) => ({ key, isUp: before.key === key ? !before.isUp : false }))
  return (
    <SmallTable label={t('breakdown')} leastWidthPx={760} heightMaxPx={640}>
      <thead>
        <tr>
          <th scope="col">{t(groupBy)}</th>
          {measures.map(({ key, title }) => (
            <th
              key={key}
              scope="col"
              data-number
              aria-sort={sort.key === key ? (sort.isUp ? 'ascending' : 'descending') : undefined}
            >
              <UnstyledButton className={styles['sort']} onClick={() => choose(key)}>
                {title}
                {sort.key === key && (sort.isUp ? ' ↑' : ' ↓')}
              </UnstyledButton>
            </th>
          ))}
          <th scope="col" data-number>
            {t('change')}
          </th>
        </tr>
      </thead>
      <tbody>
        {sorted.map((group) => {
          const { value, usage, before } = group
          const filters = turnFilters(groupBy, value)
          return (
            <tr key={value ?? ''}>
              <td>
                <Group gap={8} wrap="nowrap">
                  <i className={styles['swatch']} style={{ background: `var(--${colourOf(group)})` }} />
                  {value === null || groupBy === 'none' ? (
                    nameOf(value)
                  ) : (
                    <UnstyledButton className={styles['name']} title={value} onClick={() => onChoose(value)}>
                      {nameOf(value)}
                    </UnstyledButton>
                  )}
                </Group>
              </td>
              {measures.map(({ key, text }) => (
                <td key={key} data-number>
                  {key === 'turns' && Object.keys(filters).length > 0 ? (
                    <Anchor
                      inherit
                      title={t('turnsOf', { name: nameOf(value) })}
                      renderRoot={linkTo('/turns', { ...filters, ...since })}
                    >
                      {text(usage)}
                    </Anchor>
                  ) : (
                    text(usage)
                  )}
                  {key === 'cost' && (
                    <i
                      className={styles['bar']}
                      style={{
                        width: `${Math.round((60 * (costOf(usage, currency) ?? 0)) / most)}px`,
                        background: `var(--${colourOf(group)})`,
                      }}
                    />
                  )}
                </td>
              ))}
              <td data-number>{costChange(usage, before, currency, (share) => percentText(share, language)) || '–'}</td>
            </tr>
          )
        })}
      </tbody>
      {of.groups.length > 1 && (
        <tfoot>
          <tr className={styles['total']}>
            <th scope="row">{t('total')}</th>
            {measures.map(({ key, text }) => (
              <td key={key} data-number>
                {text(of.total)}
              </td>
            ))}
            <td data-number>
              {costChange(of.total, of.total_before, currency, (share) => percentText(share, language)) || '–'}
            </td>
          </tr>
        </tfoot>
      )}
    </SmallTable>
  )
}

function useMeasures(currency: string): Measure[] {
  const t = useText(analyticsText)
  const language = useLanguage()
  const duration = (ms: number | null) => durationText(ms, language)
  const tokens = (count: number) => shortNumberText(count, language)
  const perTurn = (usage: Usage): number | null => {
    const cost = costOf(usage, currency)
    return cost === null || usage.turns === 0 ? null : cost / usage.turns
  }
  return [
    { key: 'turns', title: t('turns'), value: ({ turns }) => turns, text: ({ turns }) => numberText(turns, language) },
    {
      key: 'errors',
      title: t('errors'),
      value: ({ error_rate }) => error_rate,
      text: ({ failed, error_rate }) =>
        failed === 0 ? '–' : `${numberText(failed, language)} (${percentText(error_rate, language)})`,
    },
    {
      key: 'in',
      title: t('tokensIn'),
      value: ({ tokens_in }) => tokens_in,
      text: ({ tokens_in }) => tokens(tokens_in),
    },
    {
      key: 'cached',
      title: t('cached'),
      value: ({ tokens_cached }) => tokens_cached,
      text: ({ tokens_in, tokens_cached }) => percentText(tokens_in === 0 ? null : tokens_cached / tokens_in, language),
    },
    {
      key: 'out',
      title: t('tokensOut'),
      value: ({ tokens_out }) => tokens_out,
      text: ({ tokens_out }) => tokens(tokens_out),
    },
    {
      key: 'reasoning',
      title: t('reasoning'),
      value: ({ tokens_reasoning }) => tokens_reasoning,
      text: ({ tokens_reasoning }) => (tokens_reasoning === 0 ? '–' : tokens(tokens_reasoning)),
    },
    {
      key: 'latency',
      title: t('latencyShort'),
      value: ({ latency }) => latency.p95_ms,
      text: ({ latency: { p50_ms, p95_ms } }) => (p95_ms === null ? '–' : `${duration(p50_ms)} / ${duration(p95_ms)}`),
    },
    {
      key: 'firstToken',
      title: t('firstTokenShort'),
      value: ({ first_token }) => first_token.p95_ms,
      text: ({ first_token: { p50_ms, p95_ms } }) =>
        p95_ms === null ? '–' : `${duration(p50_ms)} / ${duration(p95_ms)}`,
    },
    {
      key: 'cost',
      title: t('cost'),
      value: (usage) => costOf(usage, currency),
      text: (usage) => costText(usage, language),
    },
    {
      key: 'perTurn',
      title: t('perTurn'),
      value: perTurn,
      text: (usage) => {
        const each = perTurn(usage)
        return each === null ? '–' : costText({ ...usage, cost: [{ currency, micro_units: String(each) }] }, language)
      },
    },
  ]
}

function sortedBy(groups: readonly UsageGroup[], measure: Measure | undefined, isUp: boolean): UsageGroup[] {
  if (!measure) return [...groups]
  const of = ({ usage }: UsageGroup) => measure.value(usage) ?? -1
  return groups.toSorted((one, other) => (isUp ? of(one) - of(other) : of(other) - of(one)))
}

function costChange(usage: Usage, before: Usage | null, currency: string, percent: (share: number) => string): string {
  return before ? changeText(changeOf(costOf(usage, currency), costOf(before, currency)), percent) : ''
}
