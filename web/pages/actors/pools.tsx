/** Pools: worker threads and database connections, how many are busy and how much work waits. */
import { Card, CardGrid } from '../../parts/card.tsx'
import { SmallTable } from '../../parts/small-table.tsx'
import { useText } from '../../text/text.ts'
import type { Actors } from './actors.ts'
import { actorsText } from './text.ts'

const ends = ['done', 'failed', 'refused', 'cancelled', 'timed_out', 'died'] as const

export function Pools({ pools: { workers, database } }: { pools: Actors['pools'] }) {
  const t = useText(actorsText)
  return (
    <CardGrid leastWidthPx={460}>
      <Card isFlush title={t('workers')}>
        <SmallTable label={t('workers')} leastWidthPx={420}>
          <thead>
            <tr>
              <th>{t('pool')}</th>
              <th data-number>{t('threads')}</th>
              <th data-number>{t('runs')}</th>
              <th data-number>{t('waits')}</th>
              <th>{t('ends')}</th>
            </tr>
          </thead>
          <tbody>
            {workers.map((of) => (
              <tr key={of.pool}>
                <td>{of.pool}</td>
                <td data-number>{of.threads}</td>
                <td data-number>{of.running}</td>
                <td data-number>{of.waiting}</td>
                <td>
                  {ends
                    .filter((end) => (of.ends[end] ?? 0) > 0)
                    .map((end) => t(end, { n: of.ends[end] ?? 0 }))
                    .join(', ') || '–'}
                </td>
              </tr>
            ))}
          </tbody>
        </SmallTable>
      </Card>
      <Card isFlush title={t('database')}>
        <SmallTable label={t('database')} leastWidthPx={420}>
          <thead>
            <tr>
              <th>{t('pool')}</th>
              <th data-number>{t('connections')}</th>
              <th data-number>{t('runs')}</th>
              <th data-number>{t('waits')}</th>
            </tr>
          </thead>
          <tbody>
            {database.map((of) => (
              <tr key={of.pool}>
                <td>{of.pool}</td>
                <td data-number>{of.connections_max}</td>
                <td data-number>{of.running}</td>
                <td data-number>{of.waiting}</td>
              </tr>
            ))}
          </tbody>
        </SmallTable>
      </Card>
    </CardGrid>
  )
}
