/** One delivery beside the list: what leaves, to whom, why it failed, its attempts, and what can be done. */

import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useRefreshOn } from '../../api/feed.ts'
import type { Answer } from '../../api/types.ts'
import { useSession } from '../../app/session.tsx'
import { CardList } from '../../parts/card.tsx'
import { DetailPane } from '../../parts/detail-pane.tsx'
import { Disposition, mayCancel, mayRetry } from '../../parts/disposition.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { IdText } from '../../parts/id-text.tsx'
import { KeyValue } from '../../parts/key-value.tsx'
import { linkTo } from '../../parts/link-to.tsx'
import { LoadingRows } from '../../parts/loading-rows.tsx'
import { State, type StateName } from '../../parts/state.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { Ago, Duration, Time } from '../../parts/time.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import styles from './deliveries.module.css'
import { deliveryEvents } from './filters.ts'
import { deliveriesText } from './text.ts'

type Detailed = Answer<'GET /v1/admin/deliveries/{id}'>

export function DeliveryDetails({ id, onClose }: { id: string; onClose(): void }) {
  const t = useText(deliveriesText)
  const c = useText(sharedText)
  useRefreshOn(deliveryEvents, ['delivery', id])
  const delivery = useQuery({
    queryKey: ['delivery', id],
    queryFn: ({ signal }) => call('GET /v1/admin/deliveries/{id}', { params: { id }, signal }),
  })
  return (
    <DetailPane title={delivery.data?.preview ?? t('delivery')} label={t('delivery')} onClose={onClose}>
      <ErrorPanel error={delivery.error} onRetry={() => void delivery.refetch()} />
      {delivery.isPending && <LoadingRows label={c('loading')} />}
      {delivery.data && <Details delivery={delivery.data} />}
    </DetailPane>
  )
}

function Details({ delivery }: { delivery: Detailed }) {
  const t = useText(deliveriesText)
  const c = useText(sharedText)
  const { may } = useSession()
  const { channel, status, reason, next_at, receipt } = delivery
  const rows: [string, React.ReactNode][] = [
    [c('status'), <Disposition key="status" status={status} />],
    [t('to'), delivery.recipient ?? '–'],
    [
      t('channel'),
      channel === '' ? (
        '–'
      ) : (
        <Anchor key="channel" renderRoot={linkTo(`/channels/${channel}`)}>
          {channel}
        </Anchor>
      ),
    ],
    [
      t('conversation'),
      <Anchor key="conversation" renderRoot={linkTo(`/conversations/${delivery.conversation_id}`)}>
        {t('openConversation')}
      </Anchor>,
    ],
    [t('created'), <Time key="created" iso={delivery.created_at} />],
  ]
  if (delivery.behind !== null)
    rows.push([
      t('waitsFor'),
      <Anchor key="behind" renderRoot={linkTo('/deliveries', { delivery: delivery.behind })}>
        {t('earlier')}
      </Anchor>,
    ])
  if (next_at !== null)
    rows.push(
      [
        t('next'),
        <span key="next">
          <Time iso={next_at} /> (<Ago iso={next_at} />)
        </span>,
      ],
      [t('expires'), <Time key="expires" iso={delivery.expires_at} />],
    )
  if (receipt !== null) rows.push([t('receipt'), receipt])
  rows.push([t('id'), <IdText key="id" id={delivery.id} />])
  return (
    <>
      <KeyValue rows={rows} />
      {reason !== null && status !== 'delivered' && (
        <section className={styles['why']} data-status={status} aria-label={t('why')}>
          <b>{t('why')}</b>
          <p>{reason}</p>
        </section>
      )}
      {delivery.preview !== null && (
        <section aria-label={t('whatIsSent')}>
          <h3>{t('whatIsSent')}</h3>
          <p className={styles['sent']}>{delivery.preview}</p>
        </section>
      )}
      <Attempts attempts={delivery.tries} />
      {may('deliveries.write') && <Actions delivery={delivery} />}
    </>
  )
}

const outcomes = {
  delivered: ['healthy', 'outcome_delivered'],
  failed: ['degraded', 'outcome_failed'],
  refused: ['failed', 'outcome_refused'],
  unknown: ['degraded', 'outcome_unknown'],
} as const satisfies Record<string, readonly [StateName, keyof typeof deliveriesText.en]>

function Attempts({ attempts }: { attempts: Detailed['tries'] }) {
  const t = useText(deliveriesText)
  if (attempts.length === 0) return <p className={styles['none']}>{t('noAttempts')}</p>
  return (
    <section aria-label={t('attempts')}>
      <h3>{t('attempts')}</h3>
      <CardList>
        {attempts.map((one) => {
          const [state, word] = outcomes[one.outcome as keyof typeof outcomes] ?? outcomes.unknown
          return (
            <div key={`${one.attempt} ${one.at}`} className={styles['attempt']}>
              <State state={state}>
                {t(word)}
                {one.status_code !== null && ` (${one.status_code})`}
              </State>
              <Time iso={one.at} />
              <Duration ms={one.duration_ms} />
              {one.error !== null && <p>{one.error}</p>}
            </div>
          )
        })}
      </CardList>
    </section>
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
          <Button variant="default" color="red" onClick={() => setSure(true)}>
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
