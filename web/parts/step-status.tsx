/** The status of a step of a turn with its mark. */
import type { Answer } from '../api/types.ts'
import { texts, useText } from '../text/text.ts'
import { State, type StateName } from './state.tsx'

export type Step = Answer<'GET /v1/admin/turns/steps'>['items'][number]
type StepStatus = Step['status']

const stepStatusText = texts({
  en: {
    waiting: 'Waiting',
    started: 'Running',
    succeeded: 'Completed',
    failed: 'Failed',
    unknown: 'Outcome unknown',
  },
  ru: {
    waiting: 'Ждёт решения',
    started: 'Выполняется',
    succeeded: 'Завершён',
    failed: 'Ошибка',
    unknown: 'Исход неизвестен',
  },
})

const states: Record<StepStatus, StateName> = {
  waiting: 'waiting',
  started: 'running',
  succeeded: 'healthy',
  failed: 'failed',
  unknown: 'degraded',
}

export function StepStatusBadge({ status }: { status: StepStatus }) {
  const t = useText(stepStatusText)
  return <State state={states[status]}>{t(status)}</State>
}
