/** All deliveries that match the filters: counted first, then, when the operator agrees, tried again or given up in portions. */
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { Body } from '../../api/types.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useInPortions } from '../../parts/bulk-change.ts'
import { sharedWords } from '../../text/shared-words.ts'
import { useText } from '../../text/text.ts'
import { mayCancel } from './disposition.tsx'
import type { Filters } from './page.tsx'
import { deliveriesText } from './text.ts'

type Wanted = Body<'POST /v1/admin/deliveries/many'>
type Action = Wanted['action']

/** As the service counts: a greater number means that there are more. */
const countedMax = 10_000

const isFor = (action: Action, status: string): boolean =>
  action === 'cancel'
    ? status === '' || mayCancel(status as never)
    : ['', 'failed', 'undeliverable', 'cancelled'].includes(status)

export function Many({ filters }: { filters: Filters }) {
  const t = useText(deliveriesText)
  const [action, setAction] = useState<Action>()
  return (
    <>
      <Button variant="default" disabled={!isFor('retry', filters.status)} onClick={() => setAction('retry')}>
        {t('retryAll')}
      </Button>
      <Button variant="default" disabled={!isFor('cancel', filters.status)} onClick={() => setAction('cancel')}>
        {t('cancelAll')}
      </Button>
      {action && <ManyModal action={action} filters={filters} onClose={() => setAction(undefined)} />}
    </>
  )
}

function ManyModal({ action, filters, onClose }: { action: Action; filters: Filters; onClose(): void }) {
  const [t, c] = [useText(deliveriesText), useText(sharedWords)]
  const wanted = wantedOf(action, filters)
  const counted = useQuery({
    queryKey: ['deliveries-many', wanted],
    queryFn: ({ signal }) => call('POST /v1/admin/deliveries/many', { body: wanted, signal }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
  const asOf = counted.data?.as_of
  const { progress, error, isBusy, go } = useInPortions(
    () => call('POST /v1/admin/deliveries/many', { body: { ...wanted, ...(asOf !== undefined && { as_of: asOf }) } }),
    ['deliveries'],
  )
  const done = progress?.changed
  return (
    <Dialog onClose={onClose} title={t(action === 'retry' ? 'retryTitle' : 'cancelTitle')}>
      <Stack>
        <Text size="sm">{t('filtersNow', { filters: filterWords(filters) || t('noFilters') })}</Text>
        {filters.status === '' && <Text size="sm">{t(action === 'retry' ? 'whichRetry' : 'whichCancel')}</Text>}
        <ErrorPanel error={counted.error} onRetry={() => void counted.refetch()} />
        <Text fw={600} role="status">
          {done !== undefined ? t('done', { n: done }) : <Counted action={action} count={counted.data?.count} />}
        </Text>
        <ErrorPanel error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {isBusy ? t('stop') : done === undefined ? c('cancel') : c('close')}
          </Button>
          {(done === undefined || error !== undefined) && (
            <Button
              {...(action === 'cancel' && { color: 'red' })}
              loading={isBusy}
              disabled={!counted.data || counted.data.count === 0}
              onClick={() => go()}
            >
              {t(action === 'retry' ? 'doRetry' : 'doCancel')}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  )
}

function Counted({ action, count }: { action: Action; count: number | undefined }) {
  const t = useText(deliveriesText)
  if (count === undefined) return t('counting')
  if (count === 0) return t('none')
  if (count > countedMax) return t('more', { n: countedMax })
  return t(action === 'retry' ? 'retryCount' : 'cancelCount', { n: count })
}

function wantedOf(action: Action, { status, channel, conversation }: Filters): Wanted {
  return {
    action,
    ...(status !== '' && { status: status as NonNullable<Wanted['status']> }),
    ...(channel !== '' && { channel }),
    ...(conversation !== '' && { conversation_id: conversation }),
  }
}

const filterWords = ({ status, channel, conversation }: Filters): string =>
  [status, channel, conversation].filter((word) => word !== '').join(' · ')
