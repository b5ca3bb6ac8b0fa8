/** Actions on a channel: enable, pause, test. */

import { Anchor, Button, Group, List, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { Answer } from '../../api/types.ts'
import { useSession } from '../../app/session.tsx'
import { Banner } from '../../parts/banner.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { linkTo } from '../../parts/link-to.tsx'
import { StateMark } from '../../parts/state.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { durationText, Time } from '../../parts/time.tsx'
import { Words } from '../../parts/words.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import type { Channel } from '../channels/health.tsx'
import { channelText } from './text.ts'

type Tested = Answer<'POST /v1/admin/channels/{name}/test'>

export function Switches({ channel }: { channel: Channel }) {
  const t = useText(channelText)
  const isWriter = useSession().may('channels.write')
  const queries = useQueryClient()
  const { name, is_enabled: isEnabled, is_paused: isPaused } = channel
  const [tested, setTested] = useState<Tested>()
  const [change, setChange] = useState<'enabled' | 'paused'>()
  const test = useSubmit(async () => {
    setTested(undefined)
    setTested(await call('POST /v1/admin/channels/{name}/test', { params: { name } }))
  })
  async function patch(body: { is_enabled?: boolean; is_paused?: boolean }): Promise<void> {
    const changed = await call('PATCH /v1/admin/channels/{name}', { params: { name }, body })
    queries.setQueryData(['channel', name], changed)
    await queries.invalidateQueries({ queryKey: ['channels'] })
  }
  const enabling = useSubmit(() => patch({ is_enabled: !isEnabled }))
  const pausing = useSubmit(() => patch({ is_paused: !isPaused }))
  return (
    <Stack gap="sm">
      {!tested && <Standing channel={channel} />}
      {isWriter ? (
        <Group gap="sm">
          <Button variant="default" loading={test.isBusy} onClick={() => test.submit()}>
            {t('test')}
          </Button>
          <Button
            variant="default"
            loading={pausing.isBusy}
            onClick={() => {
              setChange('paused')
              pausing.submit()
            }}
          >
            {t(isPaused ? 'resume' : 'pause')}
          </Button>
          <Button
            variant="default"
            loading={enabling.isBusy}
            onClick={() => {
              setChange('enabled')
              enabling.submit()
            }}
          >
            {t(isEnabled ? 'disable' : 'enable')}
          </Button>
        </Group>
      ) : (
        <Text>{t('readOnly')}</Text>
      )}
      <ErrorPanel error={change === 'paused' ? pausing.error : enabling.error} />
      <ErrorPanel error={test.error} />
      {tested && <TestResult tested={tested} />}
    </Stack>
  )
}

/** Why the channel answers nothing now, and what to do; at most one banner. What is over is a grey line. */
function Standing({ channel: { is_enabled: isEnabled, is_paused: isPaused, connection } }: { channel: Channel }) {
  const t = useText(channelText)
  const { may } = useSession()
  const { status, since, last_error: error } = connection
  if (!isEnabled) return <Banner tone="info">{t('offWhy')}</Banner>
  if (status === 'waiting')
    return (
      <Banner
        tone="bad"
        title={
          <>
            {t('away')} {since !== null && <Time iso={since} />}
          </>
        }
        actions={
          isRefusedAddress(error) &&
          may('settings.read') && (
            <Anchor renderRoot={linkTo('/settings', { q: 'SERVICE_OUTGOING_ALLOWLIST' })}>{t('toAllowlist')}</Anchor>
          )
        }
      >
        {error !== null && <Words>{error}</Words>} {t('wayOn')} {isRefusedAddress(error) && t('wayOnAddress')}
      </Banner>
    )
  if (isPaused) return <Banner tone="warn">{t('pausedWhy')}</Banner>
  if (error === null) return null
  return (
    <Text size="sm" c="dimmed">
      {t('lastError')}: <Words>{error}</Words>
    </Text>
  )
}

/** Whether the service does not connect there by its own rules. */
const isRefusedAddress = (error: string | null): boolean => error?.includes('not one that may be called') ?? false

function TestResult({ tested: { is_ok: isOk, checks } }: { tested: Tested }) {
  const t = useText(channelText)
  const language = useLanguage()
  if (checks.length === 0)
    return (
      <Banner tone="info" role="status">
        {t('testNothing')}
      </Banner>
    )
  return (
    <Banner tone={isOk ? 'ok' : 'bad'} role="status" title={t(isOk ? 'testOk' : 'testFailed')}>
      <List listStyleType="none">
        {checks.map((check) => (
          <List.Item key={check.name}>
            <StateMark state={check.is_ok ? 'healthy' : 'failed'} label={t(check.is_ok ? 'responds' : 'respondsNot')} />{' '}
            <b>{check.name}</b>: <Words>{check.words}</Words> · {durationText(check.duration_ms, language)}
          </List.Item>
        ))}
      </List>
    </Banner>
  )
}
