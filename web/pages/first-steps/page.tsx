/** The first steps: a model, a chat, a channel. Progress is read from the service, so that the steps can be left and resumed. */

import { Button, Group, Skeleton, Stack } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import { useState } from 'react'
import { Banner } from '../../parts/banner.tsx'
import { Card } from '../../parts/card.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useFilters } from '../../parts/filters.ts'
import { Page } from '../../parts/page.tsx'
import { useText } from '../../text/text.ts'
import { ChannelStep } from './channel-step.tsx'
import { ChatStep } from './chat-step.tsx'
import styles from './first-steps.module.css'
import { ModelStep } from './model-step.tsx'
import { type Progress, type StepName, stepNames, useProgress } from './progress.ts'
import { stepsText } from './text.ts'

const byDefault = { step: '' }
const abouts = { model: 'modelAbout', chat: 'chatAbout', channel: 'channelAbout' } as const

export default function FirstStepsPage() {
  const t = useText(stepsText)
  const { progress, error, refetch } = useProgress()
  return (
    <Page
      title={t('title')}
      about={t('about')}
      actions={
        <Button variant="default" renderRoot={(props) => <Link to="/" {...props} />}>
          {t('overview')}
        </Button>
      }
    >
      <ErrorPanel error={error} onRetry={refetch} />
      {!progress && !error && <Skeleton height={240} />}
      {progress && <Steps progress={progress} />}
    </Page>
  )
}

function Steps({ progress }: { progress: Progress }) {
  const t = useText(stepsText)
  const [{ step }, filter] = useFilters(byDefault)
  const navigate = useNavigate()
  // The initial step. A finished step does not move on by itself; the operator clicks Next.
  const [firstOpenStep] = useState<StepName>(() => stepNames.find((name) => !progress.isDone[name]) ?? 'channel')
  const currentStep = stepNames.find((name) => name === step) ?? firstOpenStep
  const following = stepNames[stepNames.indexOf(currentStep) + 1]
  // One filled button a view: the model's form and the composer of the chat have their own.
  const isNextFilled = currentStep === 'channel' && progress.isDone.channel
  const go = (to: StepName | undefined) => (to ? filter({ step: to }) : void navigate({ to: '/' }))
  return (
    <div className={styles['columns']}>
      <nav aria-label={t('steps')} className={styles['steps']}>
        {stepNames.map((name, at) => (
          <button
            key={name}
            type="button"
            aria-current={name === currentStep ? 'step' : undefined}
            data-done={progress.isDone[name] || undefined}
            onClick={() => filter({ step: name })}
          >
            <i aria-hidden>{progress.isDone[name] ? <Check size={14} /> : at + 1}</i>
            <b>{t(name)}</b>
            <small>{progress.isDone[name] ? t('isDone') : t(abouts[name])}</small>
          </button>
        ))}
      </nav>
      <Card title={t(currentStep)}>
        <Stack>
          {currentStep === 'model' && <ModelStep settings={progress.settings} />}
          {currentStep === 'chat' && <ChatStep progress={progress} />}
          {currentStep === 'channel' && <ChannelStep progress={progress} />}
          {stepNames.every((name) => progress.isDone[name]) && currentStep === 'channel' && (
            <Banner tone="ok">{t('finished')}</Banner>
          )}
          <Group justify="flex-end">
            <Button variant={isNextFilled ? 'filled' : 'default'} onClick={() => go(following)}>
              {following ? t(progress.isDone[currentStep] ? 'next' : 'skip') : t('overview')}
            </Button>
          </Group>
        </Stack>
      </Card>
    </div>
  )
}
