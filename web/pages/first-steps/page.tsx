/** The first steps: a model, a chat, a channel. Progress is read from the service, so that the steps can be left and resumed. */

import { Button, Card, Group, NavLink, Skeleton, Stack, Text } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { CircleCheck, CircleDashed } from 'lucide-react'
import { useState } from 'react'
import { Banner } from '../../parts/banner.tsx'
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
  const go = (to: StepName | undefined) => (to ? filter({ step: to }) : void navigate({ to: '/' }))
  return (
    <div className={styles['columns']}>
      <nav aria-label={t('steps')}>
        {stepNames.map((name, at) => (
          <NavLink
            key={name}
            component="button"
            type="button"
            active={name === currentStep}
            aria-current={name === currentStep ? 'step' : undefined}
            label={`${at + 1}. ${t(name)}`}
            description={progress.isDone[name] ? t('isDone') : undefined}
            leftSection={
              progress.isDone[name] ? <CircleCheck size={17} aria-hidden /> : <CircleDashed size={17} aria-hidden />
            }
            onClick={() => filter({ step: name })}
          />
        ))}
      </nav>
      <Card padding="md" component="section" aria-label={t(currentStep)}>
        <Stack>
          {currentStep === 'model' && <ModelStep settings={progress.settings} />}
          {currentStep === 'chat' && <ChatStep progress={progress} />}
          {currentStep === 'channel' && <ChannelStep progress={progress} />}
          {stepNames.every((name) => progress.isDone[name]) && currentStep === 'channel' && (
            <Banner tone="ok">
              <Text>{t('finished')}</Text>
            </Banner>
          )}
          <Group justify="flex-end">
            <Button variant={progress.isDone[currentStep] ? 'filled' : 'default'} onClick={() => go(following)}>
              {following ? t(progress.isDone[currentStep] ? 'next' : 'skip') : t('overview')}
            </Button>
          </Group>
        </Stack>
      </Card>
    </div>
  )
}
