/** The column "Cost, 30 days" of lists of keys and agents, which leads to Analytics with the filter set. */
import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import type { Column } from '../../parts/data-table.tsx'
import { linkTo } from '../../parts/link-to.tsx'
import { State } from '../../parts/state.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import { analyticsText } from './text.ts'
import { timeSpan, timesOf } from './time-span.ts'
import { costText } from './usage.ts'

const refetchMs = 60_000
/** The dearest; the others cost next to nothing, and their cell says nothing. */
const groupsMax = 500

/** @returns empty where the role may not see usage */
export function useCostColumn<Row>(groupBy: 'key' | 'agent', subjectOf: (row: Row) => string): Column<Row>[] {
  const t = useText(analyticsText)
  const language = useLanguage()
  const { may } = useSession()
  const { data, isError } = useQuery({
    queryKey: ['analytics', 'cost', groupBy],
    queryFn: async ({ signal }) => {
      // The time that the link opens, so that both say the same.
      const span = timeSpan({ span: '30d', from: '', until: '' }, Date.now())
      const { groups } = await call('GET /v1/admin/analytics', {
        query: { ...(span && timesOf(span)), group_by: groupBy, limit: groupsMax },
        signal,
      })
      return new Map(groups.map(({ value, usage }) => [value, usage]))
    },
    refetchInterval: refetchMs,
    enabled: may('usage.read'),
  })
  if (!may('usage.read')) return []
  return [
    {
      key: 'cost',
      title: t('cost30d'),
      width: 'minmax(80px, 110px)',
      isNumber: true,
      phone: 'aside',
      cell(row) {
        const usage = data?.get(subjectOf(row))
        if (!data && isError) return <State state="failed">{t('costFailed')}</State>
        if (!usage) return '–'
        return (
          <Anchor inherit renderRoot={linkTo('/analytics', { span: '30d', by: groupBy, value: subjectOf(row) })}>
            {costText(usage, language)}
          </Anchor>
        )
      },
    },
  ]
}
