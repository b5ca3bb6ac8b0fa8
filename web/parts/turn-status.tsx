/** The status of a turn as a badge. */
import type { Answer } from '../api/types.ts'
import { texts, useText } from '../text/text.ts'
import { State, StateMark, type StateName } from './state.tsx'

export type TurnStatus = Answer<'GET /v1/admin/turns'>['items'][number]['status']

export const turnStatusText = texts({
  en: {
    queued: 'Queued',
    running: 'Running',
    waiting: 'Waiting',
    completed: 'Completed',
    failed: 'Failed',
    cancelled: 'Cancelled',
    interrupted: 'Interrupted',
    merged: 'Merged',
  },
  ru: {
    queued: 'В очереди',
    running: 'Выполняется',
    waiting: 'Ждёт решения',
    completed: 'Завершён',
    failed: 'Ошибка',
    cancelled: 'Отменён',
    interrupted: 'Прерван',
    merged: 'Объединён',
  },
})

const states: Record<TurnStatus, StateName> = {
  queued: 'queued',
  running: 'running',
  waiting: 'waiting',
  completed: 'healthy',
  failed: 'failed',
  cancelled: 'cancelled',
  interrupted: 'degraded',
  merged: 'cancelled',
}

export function TurnStatusBadge({ status, isPill = false }: { status: TurnStatus; isPill?: boolean }) {
  const t = useText(turnStatusText)
  return (
    <State state={states[status]} isPill={isPill}>
      {t(status)}
    </State>
  )
}

/** The shape alone, before its word. */
export const TurnStatusMark = ({ status }: { status: string }) => {
  const t = useText(turnStatusText)
  if (!Object.hasOwn(states, status)) return null
  return <StateMark state={states[status as TurnStatus]} label={t(status as TurnStatus)} />
}

export const isOpen = (status: TurnStatus): boolean =>
  status === 'queued' || status === 'running' || status === 'waiting'
