/** The status of a turn as a badge. */
import type { Answer } from '../api/types.ts'
import { texts, useText } from '../text/text.ts'
import { StatusBadge, type Tone } from './status-badge.tsx'

export type TurnStatus = Answer<'GET /v1/admin/turns'>['items'][number]['status']

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

export const turnStatuses = Object.keys(tones) as readonly TurnStatus[]

export function TurnStatusBadge({ status }: { status: TurnStatus }) {
  const t = useText(turnStatusText)
  return <StatusBadge tone={tones[status]}>{t(status)}</StatusBadge>
}

export const isOpen = (status: TurnStatus): boolean =>
  status === 'queued' || status === 'running' || status === 'waiting'
