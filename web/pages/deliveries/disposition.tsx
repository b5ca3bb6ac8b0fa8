/** What became of a delivery, in a word. */
import type { Answer } from '../../api/types.ts'
import { StatusBadge, type Tone } from '../../parts/status-badge.tsx'
import { useText } from '../../text/text.ts'
import { deliveriesText } from './text.ts'

export type Delivery = Answer<'GET /v1/admin/deliveries'>['items'][number]
export type DispositionName = Delivery['status']

export const dispositions: readonly DispositionName[] = [
  'pending',
  'sending',
  'failed',
  'undeliverable',
  'delivered',
  'cancelled',
]

const tones: Record<DispositionName, Tone> = {
  pending: 'busy',
  sending: 'busy',
  delivered: 'good',
  failed: 'warn',
  undeliverable: 'bad',
  cancelled: 'quiet',
}

export function Disposition({ status }: { status: DispositionName }) {
  const t = useText(deliveriesText)
  return <StatusBadge tone={tones[status]}>{t(status)}</StatusBadge>
}

export const mayRetry = (status: DispositionName): boolean =>
  status === 'pending' || status === 'failed' || status === 'undeliverable' || status === 'cancelled'
export const mayCancel = (status: DispositionName): boolean => status === 'pending' || status === 'failed'
