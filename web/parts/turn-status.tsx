/** How a turn stands, in a word and a colour. */
import { texts, useText } from '../text/text.ts'
import { StatusBadge, type Tone } from './status-badge.tsx'

export const turnStatuses = [
  'queued',
  'running',
  'waiting',
  'completed',
  'failed',
  'cancelled',
  'interrupted',
  'merged',
] as const
export type TurnStatus = (typeof turnStatuses)[number]

export const turnStatusText = texts({
  en: {
    queued: 'queued',
    running: 'running',
    waiting: 'waits for approval',
    completed: 'completed',
    failed: 'failed',
    cancelled: 'cancelled',
    interrupted: 'interrupted',
    merged: 'joined to another',
  },
  ru: {
    queued: 'в очереди',
    running: 'выполняется',
    waiting: 'ждёт решения',
    completed: 'завершён',
    failed: 'ошибка',
    cancelled: 'отменён',
    interrupted: 'прерван',
    merged: 'объединён с другим',
  },
})

const tones: Record<TurnStatus, Tone> = {
  queued: 'quiet',
  running: 'busy',
  waiting: 'warn',
  completed: 'good',
  failed: 'bad',
  cancelled: 'quiet',
  interrupted: 'warn',
  merged: 'quiet',
}

export function TurnStatusBadge({ status }: { status: TurnStatus }) {
  const t = useText(turnStatusText)
  return <StatusBadge tone={tones[status]}>{t(status)}</StatusBadge>
}

export const isOpen = (status: TurnStatus): boolean =>
  status === 'queued' || status === 'running' || status === 'waiting'
