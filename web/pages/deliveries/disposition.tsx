/** The disposition of a delivery as a badge. */
import type { Answer } from '../../api/types.ts'
import { StatusBadge, type Tone } from '../../parts/status-badge.tsx'
import { useText } from '../../text/text.ts'
import { deliveriesText } from './text.ts'

export type Delivery = Answer<'GET /v1/admin/deliveries'>['items'][number]
export type DispositionName = Delivery['status']

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
  const t = useText(deliveriesText)
  return <StatusBadge tone={tones[status]}>{t(status)}</StatusBadge>
}

export const mayRetry = (status: DispositionName): boolean =>
  status === 'pending' || status === 'failed' || status === 'undeliverable' || status === 'cancelled'
export const mayCancel = (status: DispositionName): boolean => status === 'pending' || status === 'failed'
