/** Retry or cancel all deliveries that match the filters: counted first, then changed in batches after a confirmation. */
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { Body } from '../../api/types.ts'
import { useBulkChange } from '../../parts/bulk-change.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { type DispositionName, dispositionText, mayCancel } from '../../parts/disposition.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { type Translate, useText } from '../../text/text.ts'
import type { Filters } from './filters.ts'
import { deliveriesText } from './text.ts'

type BulkRequest = Body<'POST /v1/admin/deliveries/many'>
type Action = BulkRequest['action']

/** The service counts up to this; a greater number means that there are more. */
const countMax = 10_000

const isPossible = (action: Action, status: string): boolean =>
  action === 'cancel'
    ? status === '' || mayCancel(status as DispositionName)
    : ['', 'failed', 'undeliverable', 'cancelled'].includes(status)

export function BulkActions({ filters }: { filters: Filters }) {
  const t = useText(deliveriesText)
  const [action, setAction] = useState<Action>()
  return (
    <>
      <Button variant="default" disabled={!isPossible('retry', filters.status)} onClick={() => setAction('retry')}>
        {t('retryAll')}
      </Button>
      <Button variant="default" disabled={!isPossible('cancel', filters.status)} onClick={() => setAction('cancel')}>
        {t('cancelAll')}
      </Button>
      {action && <BulkDialog action={action} filters={filters} onClose={() => setAction(undefined)} />}
    </>
  )
}

function BulkDialog({ action, filters, onClose }: { action: Action; filters: Filters; onClose(): void }) {
  const t = useText(deliveriesText)
  const c = useText(sharedText)
  const nameOf = useText(dispositionText)
  const request = bulkRequestOf(action, filters)
  const preview = useQuery({
    queryKey: ['deliveries-many', request],
    queryFn: ({ signal }) => call('POST /v1/admin/deliveries/many', { body: request, signal }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
  const asOf = preview.data?.as_of
  const { progress, error, isBusy, go } = useBulkChange(
    () => call('POST /v1/admin/deliveries/many', { body: { ...request, ...(asOf !== undefined && { as_of: asOf }) } }),
    ['deliveries'],
  )
  const changedCount = progress?.changed
  return (
    <Dialog onClose={onClose} title={t(action === 'retry' ? 'retryTitle' : 'cancelTitle')}>
      <Stack>
        <Text>{t('filtersNow', { filters: filterSummary(filters, nameOf) || t('noFilters') })}</Text>
        {filters.status === '' && <Text>{t(action === 'retry' ? 'whichRetry' : 'whichCancel')}</Text>}
        <ErrorPanel error={preview.error} onRetry={() => void preview.refetch()} />
        <Text fw={600} role="status">
          {changedCount !== undefined ? (
            t('done', { n: changedCount })
          ) : (
            <AffectedCount action={action} count={preview.data?.count} />
          )}
        </Text>
        <ErrorPanel error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {isBusy ? t('stop') : changedCount === undefined ? c('cancel') : c('close')}
          </Button>
          {(changedCount === undefined || error !== undefined) && (
            <Button
              {...(action === 'cancel' && { color: 'red' })}
              loading={isBusy}
              disabled={!preview.data || preview.data.count === 0}
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

function AffectedCount({ action, count }: { action: Action; count: number | undefined }) {
  const t = useText(deliveriesText)
  if (count === undefined) return t('counting')
  if (count === 0) return t('none')
  if (count > countMax) return t('more', { n: countMax })
  return t(action === 'retry' ? 'retryCount' : 'cancelCount', { n: count })
}

function bulkRequestOf(action: Action, { status, channel, conversation }: Filters): BulkRequest {
  return {
    action,
    ...(status !== '' && { status: status as NonNullable<BulkRequest['status']> }),
    ...(channel !== '' && { channel }),
    ...(conversation !== '' && { conversation_id: conversation }),
  }
}

/** The filters as the page shows them. */
function filterSummary(
  { status, channel, conversation }: Filters,
  nameOf: Translate<typeof dispositionText.en>,
): string {
  const statusName = status === '' ? '' : nameOf(status as DispositionName)
  return [statusName, channel, conversation].filter((part) => part !== '').join(' · ')
}
