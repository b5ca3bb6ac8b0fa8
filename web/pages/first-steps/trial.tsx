/** The result of a trial of a model endpoint, step by step, with what to do about a failure; and the way to save it all the same. */
import { Button } from '@mantine/core'
import type { Answer } from '../../api/types.ts'
import { Banner } from '../../parts/banner.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { sentence } from '../../parts/sentence.ts'
import { State, type StateName } from '../../parts/state.tsx'
import { durationText } from '../../parts/time.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import styles from './first-steps.module.css'
import { stepsText } from './text.ts'
import type { useTrial } from './use-trial.ts'

type TrialResult = Answer<'POST /v1/admin/settings/test-model'>
type Step = TrialResult['steps'][number]

const names = {
  address: 'stepAddress',
  connection: 'stepConnection',
  tls: 'stepTls',
  authorisation: 'stepAuthorisation',
  answer: 'stepAnswer',
} as const satisfies Record<Step['name'], string>

const advice = {
  address: 'adviceAddress',
  connection: 'adviceConnection',
  tls: 'adviceTls',
  authorisation: 'adviceAuthorisation',
  answer: 'adviceAnswer',
} as const satisfies Record<Step['name'], string>

const states = {
  ok: ['healthy', 'stateOk'],
  failed: ['failed', 'stateFailed'],
  unknown: ['cancelled', 'stateUnknown'],
  skipped: ['cancelled', 'stateSkipped'],
} as const satisfies Record<Step['state'], readonly [StateName, string]>

interface TrialOutcomeProps {
  testing: ReturnType<typeof useTrial>
  /** Undefined: nothing is to be saved. */
  onSaveAnyway?: (() => void) | undefined
}

export function TrialOutcome({ testing, onSaveAnyway }: TrialOutcomeProps) {
  const t = useText(stepsText)
  const { trial, error } = testing
  const hasFailed = error !== undefined || trial?.ok === false
  const saveAnyway = hasFailed && onSaveAnyway && (
    <Button size="xs" variant="default" onClick={onSaveAnyway}>
      {t('saveAnyway')}
    </Button>
  )
  if (error !== undefined) return <ErrorPanel error={error} actions={saveAnyway} />
  if (!trial) return null
  const failed = trial.steps.find(({ state }) => state === 'failed')
  return (
    <>
      <Steps trial={trial} />
      {trial.ok ? (
        <Banner tone="ok" title={t('testOk')} role="status">
          {trial.said !== null && `${t('testSaid')} ${trial.said}`}
        </Banner>
      ) : (
        <Banner
          tone="bad"
          role="alert"
          title={t('testFailed', { step: failed ? t(names[failed.name]) : '?' })}
          actions={saveAnyway}
        >
          {[
            trial.message && sentence(trial.message),
            failed && t(trial.status !== null && trial.status >= 500 ? 'adviceServer' : advice[failed.name]),
            saveAnyway && t('saveAnywayWhy'),
          ]
            .filter((words) => typeof words === 'string')
            .join(' ')}
        </Banner>
      )}
    </>
  )
}

function Steps({ trial }: { trial: TrialResult }) {
  const t = useText(stepsText)
  const language = useLanguage()
  const facts = [
    trial.status === null ? '' : t('httpStatus', { status: String(trial.status) }),
    trial.model ?? '',
    t('took', { time: durationText(trial.took_ms, language) }),
    trial.key_sent ? '' : t('keyNotSent'),
  ]
  return (
    <div className={styles['trial']}>
      <ul aria-label={t('testSteps')}>
        {trial.steps.map(({ name, state }) => (
          <li key={name}>
            <b>{t(names[name])}</b>
            <State state={states[state][0]}>{t(states[state][1])}</State>
          </li>
        ))}
      </ul>
      <p>{facts.filter((fact) => fact !== '').join(' · ')}</p>
    </div>
  )
}
