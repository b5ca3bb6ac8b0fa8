/** One delivery: its attempts, and its actions. */

import { Anchor, Button, Code, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useRefreshOn } from '../../api/feed.ts'
import type { Answer } from '../../api/types.ts'
import { useSession } from '../../app/session.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Disposition, mayCancel, mayRetry } from '../../parts/disposition.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { linkTo } from '../../parts/link-to.tsx'
import { SmallTable } from '../../parts/small-table.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { Duration, Time } from '../../parts/time.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { deliveriesText } from './text.ts'

type Detailed = Answer<'GET /v1/admin/deliveries/{id}'>

export function DeliveryDetails({ id, onClose }: { id: string; onClose(): void }) {
  const t = useText(deliveriesText)
  useRefreshOn(
    ['delivery.pending', 'delivery.delivered', 'delivery.failed', 'delivery.undeliverable', 'delivery.cancelled'],
    ['delivery', id],
  )
  const delivery = useQuery({
    queryKey: ['delivery', id],
    queryFn: ({ signal }) => call('GET /v1/admin/deliveries/{id}', { params: { id }, signal }),
  })
  return (
    <Dialog onClose={onClose} title={t('delivery')} size="xl">
      <ErrorPanel error={delivery.error} onRetry={() => void delivery.refetch()} />
      {delivery.isPending && <Skeleton height={160} />}
      {delivery.data && <Details delivery={delivery.data} />}
    </Dialog>
  )
}

function Details({ delivery }: { delivery: Detailed }) {
  const t = useText(deliveriesText)
  const { may } = useSession()
  return (
    <Stack>
      <Group gap="sm">
        <Disposition status={delivery.status} />
        <Code>{delivery.id}</Code>
      </Group>
      <Text>
        {t('channel')}: {delivery.channel || '–'} · {t('conversation')}:{' '}
        <Anchor renderRoot={linkTo(`/conversations/${delivery.conversation_id}`)}>{delivery.conversation_id}</Anchor>
      </Text>
      <Text>
        {t('created')}: <Time iso={delivery.created_at} /> · {t('next')}: <Time iso={delivery.next_at} /> ·{' '}
        {t('expires')}: <Time iso={delivery.expires_at} />
      </Text>
      {delivery.receipt !== null && (
        <Text>
          {t('receipt')}: {delivery.receipt}
        </Text>
      )}
      <Attempts attempts={delivery.tries} />
      {may('deliveries.write') && <Actions delivery={delivery} />}
    </Stack>
  )
}

function Attempts({ attempts }: { attempts: Detailed['tries'] }) {
  const t = useText(deliveriesText)
  if (attempts.length === 0) return <Text c="dimmed">{t('noAttempts')}</Text>
  return (
    <SmallTable label={t('attempts')} leastWidthPx={480} heightMaxPx={320}>
      <thead>
        <tr>
          <th>{t('attempt')}</th>
          <th>{t('at')}</th>
          <th>{t('outcome')}</th>
          <th>{t('took')}</th>
          <th>{t('error')}</th>
        </tr>
      </thead>
      <tbody>
        {attempts.map((one) => (
          <tr key={`${one.attempt} ${one.at}`}>
            <td>{one.attempt}</td>
            <td>
              <Time iso={one.at} />
            </td>
            <td>
              {one.outcome}
              {one.status_code !== null && ` (${one.status_code})`}
            </td>
            <td>
              <Duration ms={one.duration_ms} />
            </td>
            <td>{one.error ?? '–'}</td>
          </tr>
        ))}
      </tbody>
    </SmallTable>
  )
}

function Actions({ delivery }: { delivery: Detailed }) {
  const t = useText(deliveriesText)
  const c = useText(sharedText)
  const queries = useQueryClient()
  const [isSure, setSure] = useState(false)
  const params = { id: delivery.id }
  async function changed(): Promise<void> {
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['delivery', delivery.id] }),
      queries.invalidateQueries({ queryKey: ['deliveries'] }),
    ])
  }
  const retry = useSubmit(async () => {
    await call('POST /v1/admin/deliveries/{id}/retry', { params }).finally(changed)
  })
  const cancel = useSubmit(async () => {
    await call('POST /v1/admin/deliveries/{id}/cancel', { params }).finally(changed)
    setSure(false)
  })
  return (
    <Stack gap="sm">
      <ErrorPanel error={retry.error ?? cancel.error} />
      {isSure && <Text>{t('cancelSure')}</Text>}
      <Group>
        {mayRetry(delivery.status) && !isSure && (
          <Button loading={retry.isBusy} onClick={() => retry.submit()}>
            {t('retry')}
          </Button>
        )}
        {mayCancel(delivery.status) && !isSure && (
          <Button variant="default" onClick={() => setSure(true)}>
            {t('cancel')}
          </Button>
        )}
        {isSure && (
          <>
            <Button color="red" loading={cancel.isBusy} onClick={() => cancel.submit()}>
              {t('cancel')}
            </Button>
            <Button variant="default" onClick={() => setSure(false)}>
              {c('back')}
            </Button>
          </>
        )}
      </Group>
    </Stack>
  )
}
