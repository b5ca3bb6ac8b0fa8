/** What a subscription was sent last, what came of it, each attempt, and a button that sends it again. */
import { Button, Group, NativeSelect, Stack, Text, UnstyledButton } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Disposition, dispositions, dispositionText, mayRetry } from '../../parts/disposition.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { KeyValue } from '../../parts/key-value.tsx'
import { SmallTable } from '../../parts/small-table.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { Ago, Duration, Time } from '../../parts/time.tsx'
import { useText } from '../../text/text.ts'
import { kindsText } from './kinds-text.ts'
import { kindText, type Notice, type Subscription } from './subscription.ts'
import { webhooksText } from './text.ts'

const shownMax = 50
/** While something is on its way, what comes of it is waited for. */
const refetchMs = (isBusy: boolean): number => (isBusy ? 1_000 : 3_000)
const isBusy = ({ status }: Notice): boolean => status === 'pending' || status === 'sending'

export function Notices({ of }: { of: Subscription }) {
  const t = useText(webhooksText)
  const k = useText(kindsText)
  const d = useText(dispositionText)
  const [chosen, setChosen] = useState('')
  const [open, setOpen] = useState<string>()
  const status = dispositions.find((one) => one === chosen)
  const { data, error, refetch } = useQuery({
    queryKey: ['webhooks', 'deliveries', of.id, status],
    queryFn: ({ signal }) => {
      const query = { subscription_id: of.id, limit: shownMax, ...(status && { status }) }
      return call('GET /v1/admin/subscriptions/deliveries', { query, signal })
    },
    refetchInterval: ({ state }) => refetchMs(state.data?.items.some(isBusy) ?? false),
  })
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <h3>{t('last')}</h3>
        <NativeSelect
          size="xs"
          aria-label={t('last')}
          value={chosen}
          onChange={(event) => setChosen(event.currentTarget.value)}
          data={[{ value: '', label: t('anyStatus') }, ...dispositions.map((value) => ({ value, label: d(value) }))]}
        />
      </Group>
      <ErrorPanel error={error} onRetry={() => void refetch()} />
      {data?.items.length === 0 && <Text c="dimmed">{t(status ? 'noneFits' : 'noneSent')}</Text>}
      {data && data.items.length > 0 && (
        <SmallTable label={t('last')} heightMaxPx={360}>
          <thead>
            <tr>
              <th>{t('state')}</th>
              <th>{t('event')}</th>
              <th>{t('at')}</th>
            </tr>
          </thead>
          <tbody>
            {data.items.map((notice) => (
              <tr key={notice.id}>
                <td>
                  <Disposition status={notice.status} />
                </td>
                <td>
                  <UnstyledButton
                    fz="inherit"
                    td="underline"
                    title={t('opens', { event: kindText(notice.event_kind, k) })}
                    onClick={() => setOpen(notice.id)}
                  >
                    {kindText(notice.event_kind, k)}
                  </UnstyledButton>
                </td>
                <td>
                  <Ago iso={notice.created_at} />
                </td>
              </tr>
            ))}
          </tbody>
        </SmallTable>
      )}
      {data?.next_cursor && (
        <Text size="sm" c="dimmed">
          {t('more', { n: shownMax })}
        </Text>
      )}
      {open !== undefined && <NoticeDialog id={open} onClose={() => setOpen(undefined)} />}
    </Stack>
  )
}

function NoticeDialog({ id, onClose }: { id: Notice['id']; onClose(): void }) {
  const t = useText(webhooksText)
  const k = useText(kindsText)
  const { may } = useSession()
  const queries = useQueryClient()
  const { data, error, refetch } = useQuery({
    queryKey: ['webhooks', 'delivery', id],
    queryFn: ({ signal }) =>
      call('GET /v1/admin/subscriptions/deliveries/{delivery_id}', { params: { delivery_id: id }, signal }),
    refetchInterval: ({ state }) => refetchMs(state.data !== undefined && isBusy(state.data)),
  })
  const again = useSubmit(async () => {
    await call('POST /v1/admin/subscriptions/deliveries/retry', { body: { delivery_id: id } })
    await queries.invalidateQueries({ queryKey: ['webhooks'] })
  })
  return (
    <Dialog title={data ? kindText(data.event_kind, k) : t('notice')} onClose={onClose} size="lg">
      <Stack>
        <ErrorPanel error={error} onRetry={() => void refetch()} />
        {data && (
          <>
            <KeyValue
              isLeft
              rows={[
                [t('state'), <Disposition key="status" status={data.status} />],
                [t('at'), <Time key="at" iso={data.event_at} />],
                [t('next'), <Time key="next" iso={data.next_at} />],
                ...(data.reason === null ? [] : [[t('lastError'), data.reason] as const]),
              ]}
            />
            {data.tries.length === 0 ? (
              <Text c="dimmed">{t('noAttempt')}</Text>
            ) : (
              <SmallTable label={t('attempts')} leastWidthPx={420} heightMaxPx={320}>
                <thead>
                  <tr>
                    <th>{t('attempt')}</th>
                    <th>{t('at')}</th>
                    <th>{t('took')}</th>
                    <th>{t('answer')}</th>
                  </tr>
                </thead>
                <tbody>
                  {data.tries.map((one) => (
                    <tr key={`${one.attempt} ${one.at}`}>
                      <td>{one.attempt}</td>
                      <td>
                        <Time iso={one.at} />
                      </td>
                      <td>
                        <Duration ms={one.duration_ms} />
                      </td>
                      <td>
                        {[one.status_code, one.error].filter((part) => part !== null).join(' · ') ||
                          t(one.outcome === 'delivered' ? 'testOk' : 'testFailed')}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </SmallTable>
            )}
            <ErrorPanel error={again.error} />
            {may('webhooks.write') && mayRetry(data.status) && (
              <Group>
                <Button loading={again.isBusy} onClick={() => again.submit()}>
                  {t('sendAgain')}
                </Button>
              </Group>
            )}
          </>
        )}
      </Stack>
    </Dialog>
  )
}
