/** The disposition of a delivery with its mark. */
import type { Answer } from '../api/types.ts'
import { texts, useText } from '../text/text.ts'
import { State, type StateName } from './state.tsx'

export type Delivery = Answer<'GET /v1/admin/deliveries'>['items'][number]
export type DispositionName = Delivery['status']

export const dispositionText = texts({
  en: {
    pending: 'Pending',
    sending: 'Sending',
    delivered: 'Delivered',
    failed: 'Retrying',
    undeliverable: 'Undeliverable',
    cancelled: 'Cancelled',
  },
  ru: {
    pending: 'Ждёт отправки',
    sending: 'Отправляется',
    delivered: 'Доставлено',
    failed: 'Повторяется',
    undeliverable: 'Не доставлено',
    cancelled: 'Отменено',
  },
})

const states: Record<DispositionName, StateName> = {
  pending: 'queued',
  sending: 'running',
  failed: 'degraded',
  undeliverable: 'failed',
  delivered: 'healthy',
  cancelled: 'cancelled',
}

export const dispositions = Object.keys(states) as readonly DispositionName[]

export function Disposition({ status }: { status: DispositionName }) {
  const t = useText(dispositionText)
  return <State state={states[status]}>{t(status)}</State>
}

export const mayRetry = (status: DispositionName): boolean =>
  status === 'pending' || status === 'failed' || status === 'undeliverable' || status === 'cancelled'
export const mayCancel = (status: DispositionName): boolean => status === 'pending' || status === 'failed'
