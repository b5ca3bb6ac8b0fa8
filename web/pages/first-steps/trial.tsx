/** The result of a trial of the model, step by step. */

import { Group, List, Stack, Text } from '@mantine/core'
import type { Answer } from '../../api/types.ts'
import { Banner } from '../../parts/banner.tsx'
import { StatusBadge, type Tone } from '../../parts/status-badge.tsx'
import { durationText } from '../../parts/time.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import { stepsText } from './text.ts'

type TrialResult = Answer<'POST /v1/admin/settings/test-model'>
type Step = TrialResult['steps'][number]

const names = {
  address: 'stepAddress',
  connection: 'stepConnection',
  tls: 'stepTls',
  authorisation: 'stepAuthorisation',
  answer: 'stepAnswer',
} as const satisfies Record<Step['name'], string>

const states = {
  ok: ['good', 'stateOk'],
  failed: ['bad', 'stateFailed'],
  unknown: ['quiet', 'stateUnknown'],
  skipped: ['quiet', 'stateSkipped'],
} as const satisfies Record<Step['state'], readonly [Tone, string]>

export function Trial({ trial }: { trial: TrialResult }) {
  const t = useText(stepsText)
  const language = useLanguage()
  const failed = trial.steps.find(({ state }) => state === 'failed')
  const title = trial.ok ? t('testOk') : t('testFailed', { step: failed ? t(names[failed.name]) : '?' })
  return (
    <Banner tone={trial.ok ? 'ok' : 'bad'} title={title} role={trial.ok ? 'status' : 'alert'}>
      <Stack gap="sm">
        <List listStyleType="none" spacing={4} pl={0}>
          {trial.steps.map(({ name, state }) => (
            <List.Item key={name}>
              <Group gap="sm" component="span" display="inline-flex">
                <Text span w={120}>
                  {t(names[name])}
                </Text>
                <StatusBadge tone={states[state][0]}>{t(states[state][1])}</StatusBadge>
              </Group>
            </List.Item>
          ))}
        </List>
        {trial.message !== null && <Text>{trial.message}</Text>}
        {trial.said !== null && (
          <Text>
            {t('testSaid')} {trial.said}
          </Text>
        )}
        <Text size="sm" c="dimmed">
          {[
            trial.status === null ? '' : t('httpStatus', { status: String(trial.status) }),
            trial.model ?? '',
            t('took', { time: durationText(trial.took_ms, language) }),
            trial.key_sent ? '' : t('keyNotSent'),
          ]
            .filter((part) => part !== '')
            .join(' · ')}
        </Text>
      </Stack>
    </Banner>
  )
}
