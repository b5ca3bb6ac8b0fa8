/** The first channel: created with a bound sender, then a command to copy, then the wait for the first message. */

import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiFailure, apiBase, call } from '../../api/call.ts'
import { CopyText } from '../../parts/copy-text.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { linkTo } from '../../parts/link-to.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { useText } from '../../text/text.ts'
import { FirstMessage } from './first-message.tsx'
import { type Progress, progressKey } from './progress.ts'
import { stepsText } from './text.ts'

export function ChannelStep({ progress }: { progress: Progress }) {
  const t = useText(stepsText)
  return (
    <Stack>
      <Text>{t('channelWhy')}</Text>
      {progress.ready ? <Waiting {...progress.ready} settings={progress.settings} /> : <MakeChannel />}
    </Stack>
  )
}

function MakeChannel() {
  const t = useText(stepsText)
  const queries = useQueryClient()
  const [name, setName] = useState('app')
  const [sender, setSender] = useState('anna')
  const { error, isBusy, submit } = useSubmit(async () => {
    const channel = name.trim()
    await makeOrFind(channel)
    const binding = { external_id: sender.trim(), role: 'user' }
    await call('POST /v1/admin/channels/{name}/bindings', { params: { name: channel }, body: binding })
    await queries.invalidateQueries({ queryKey: progressKey })
  })
  return (
    <form onSubmit={submit}>
      <Stack maw={420}>
        <TextInput
          label={t('channelName')}
          description={t('channelNameHint')}
          required
          maxLength={64}
          pattern="[a-z0-9][a-z0-9._\-]*"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          label={t('sender')}
          description={t('senderHint')}
          required
          maxLength={200}
          value={sender}
          onChange={(event) => setSender(event.currentTarget.value)}
        />
        <ErrorPanel error={error} messages={{ channel_name_taken: t('nameTaken') }} />
        <Group>
          <Button type="submit" loading={isBusy}>
            {t('make')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** The channel may exist from an earlier attempt whose binding failed. @throws ApiFailure if the name belongs to another kind */
async function makeOrFind(name: string): Promise<void> {
  try {
    await call('POST /v1/admin/channels', { body: { name, adapter: 'generic' } })
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.code !== 'channel_name_taken') throw error
    const existing = await call('GET /v1/admin/channels/{name}', { params: { name } })
    if (existing.adapter !== 'generic') throw error
  }
}

interface WaitingProps {
  channel: string
  sender: string
  settings: Progress['settings']
}

function Waiting({ channel, sender, settings }: WaitingProps) {
  const t = useText(stepsText)
  const hasSecret = settings.get('SERVICE_INBOUND_SECRET')?.is_set ?? false
  return (
    <Stack>
      <Text>{t('snippetWhy', { sender })}</Text>
      <CopyText label={t('snippet')} text={commandFor(apiBase || location.origin, channel, sender, hasSecret)} />
      <Text size="sm" c="dimmed">
        {t(hasSecret ? 'secretExplained' : 'secretOpen')}{' '}
        {!hasSecret && (
          <Anchor
            size="sm"
            style={{ textDecoration: 'underline' }}
            renderRoot={linkTo('/settings', { q: 'SERVICE_INBOUND_SECRET' })}
          >
            {t('toSecret')}
          </Anchor>
        )}
      </Text>
      <FirstMessage channel={channel} />
      <Text size="sm" c="dimmed">
        {t('other')}{' '}
        <Anchor size="sm" style={{ textDecoration: 'underline' }} renderRoot={linkTo(`/channels/${channel}`)}>
          {t('channels')}
        </Anchor>
      </Text>
    </Stack>
  )
}

/** Without a message id, so that each run of the command posts a new message. */
function commandFor(base: string, channel: string, sender: string, hasSecret: boolean): string {
  const body = JSON.stringify({ external_id: sender, text: 'Good morning!' }).replaceAll("'", "'\\''")
  return [
    `curl -sS ${base}/v1/inbound/${channel}`,
    ...(hasSecret ? ['  -H "x-service-inbound-secret: $SECRET"'] : []),
    "  -H 'content-type: application/json'",
    `  -d '${body}'`,
  ].join(' \\\n')
}
