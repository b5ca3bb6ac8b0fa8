/** The disposition of a delivery as a badge. */
import type { Answer } from '../api/types.ts'
import { texts, useText } from '../text/text.ts'
import { StatusBadge, type Tone } from './status-badge.tsx'

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

const tones: Record<DispositionName, Tone> = {
  pending: 'busy',
  sending: 'busy',
  failed: 'warn',
  undeliverable: 'bad',
  delivered: 'good',
  cancelled: 'quiet',
}

export const dispositions = Object.keys(tones) as readonly DispositionName[]

export function Disposition({ status }: { status: DispositionName }) {
  const t = useText(dispositionText)
  return <StatusBadge tone={tones[status]}>{t(status)}</StatusBadge>
}

export const mayRetry = (status: DispositionName): boolean =>
  status === 'pending' || status === 'failed' || status === 'undeliverable' || status === 'cancelled'
export const mayCancel = (status: DispositionName): boolean => status === 'pending' || status === 'failed'
