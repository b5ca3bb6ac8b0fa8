/** The status of a step of a turn as a badge. */
import type { Answer } from '../api/types.ts'
import { texts, useText } from '../text/text.ts'
import { StatusBadge, type Tone } from './status-badge.tsx'

export type Step = Answer<'GET /v1/admin/turns/steps'>['items'][number]
type StepStatus = Step['status']

const stepStatusText = texts({
  en: {
    waiting: 'Waiting for approval',
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

const tones: Record<StepStatus, Tone> = {
  waiting: 'warn',
  started: 'busy',
  succeeded: 'good',
  failed: 'bad',
  unknown: 'warn',
}

export function StepStatusBadge({ status }: { status: StepStatus }) {
  const t = useText(stepStatusText)
  return <StatusBadge tone={tones[status]}>{t(status)}</StatusBadge>
}
