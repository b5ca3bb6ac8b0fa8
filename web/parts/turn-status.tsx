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
    queued: 'Queued',
    running: 'Running',
    waiting: 'Waiting for approval',
    completed: 'Completed',
    failed: 'Failed',
    cancelled: 'Cancelled',
    interrupted: 'Interrupted',
    merged: 'Merged into another',
  },
  ru: {
    queued: 'В очереди',
    running: 'Выполняется',
    waiting: 'Ждёт решения',
    completed: 'Завершён',
    failed: 'Ошибка',
    cancelled: 'Отменён',
    interrupted: 'Прерван',
    merged: 'Объединён с другим',
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
