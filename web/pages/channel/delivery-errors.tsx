/** The newest answers of a channel that did not arrive, and why. */

import { Anchor, Group, Text } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { useRefreshOn } from '../../api/feed.ts'
import { useSession } from '../../app/session.tsx'
import { Card } from '../../parts/card.tsx'
import { Disposition } from '../../parts/disposition.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { linkTo } from '../../parts/link-to.tsx'
import { SmallTable } from '../../parts/small-table.tsx'
import { Time } from '../../parts/time.tsx'
import { useText } from '../../text/text.ts'
import { channelText } from './text.ts'

const shownMax = 5

export function DeliveryErrors({ name }: { name: string }) {
  const t = useText(channelText)
  const { may } = useSession()
  const isReader = may('deliveries.read')
  useRefreshOn(['delivery.failed', 'delivery.undeliverable', 'delivery.delivered'], ['delivery-errors', name])
  const queries = useQueries({
    queries: (['failed', 'undeliverable'] as const).map((status) => ({
      queryKey: ['delivery-errors', name, status],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call('GET /v1/admin/deliveries', { query: { channel: name, status, limit: shownMax }, signal }),
      enabled: isReader,
    })),
  })
  if (!isReader) return null
  const rows = queries
    .flatMap(({ data }) => data?.items ?? [])
    .sort((one, other) => (one.updated_at < other.updated_at ? 1 : -1))
    .slice(0, shownMax)
  return (
    <Card
      title={t('errors')}
      actions={<Anchor renderRoot={linkTo('/deliveries', { channel: name })}>{t('allDeliveries')}</Anchor>}
    >
      <ErrorPanel error={queries.find(({ isError }) => isError)?.error} />
      {rows.length === 0 && queries.every(({ isSuccess }) => isSuccess) && <Text c="dimmed">{t('noErrors')}</Text>}
      {rows.length > 0 && (
        <SmallTable label={t('errors')}>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id}>
                <td>
                  <Group gap="sm">
                    <Time iso={row.updated_at} />
                    <Disposition status={row.status} />
                  </Group>
                </td>
                <td>{row.reason}</td>
              </tr>
            ))}
          </tbody>
        </SmallTable>
      )}
    </Card>
  )
}
