/** The form of an existing channel: it sends only what was changed, and keeps the input when the channel changes elsewhere. */

import { Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ApiFailure, call } from '../../api/call.ts'
import type { ChannelAdapter } from '../../api/types.ts'
import { useSession } from '../../app/session.tsx'
import { Banner } from '../../parts/banner.tsx'
import { Card } from '../../parts/card.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { useLeaveGuard } from '../../parts/unsaved.ts'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { ChannelFields } from './channel-fields.tsx'
import { type Channel, changesOf, formOf, hasChanges, isConfiguredOtherwise } from './form.ts'
import { channelText } from './text.ts'

interface EditorProps {
  /** As the service has it now. */
  current: Channel
  adapters: readonly ChannelAdapter[]
}

export function Editor({ current, adapters }: EditorProps) {
  const t = useText(channelText)
  const c = useText(sharedText)
  const isWriter = useSession().may('channels.write')
  const queries = useQueryClient()
  const [base, setBase] = useState(current)
  const [form, setForm] = useState(() => formOf(current, adapters))
  const [isSaved, setSaved] = useState(false)
  const changes = changesOf(formOf(base, adapters), form)
  const isChanged = hasChanges(changes)
  const isNewer = isConfiguredOtherwise(base, current)
  useLeaveGuard(isChanged)

  function show(channel: Channel): void {
    setBase(channel)
    setForm(formOf(channel, adapters))
  }
  useEffect(() => {
    // Without unsaved changes the newer version is shown at once.
    if (isNewer && !isChanged) {
      setBase(current)
      setForm(formOf(current, adapters))
    }
  }, [current, adapters, isNewer, isChanged])

  const { error, isBusy, submit } = useSubmit(async () => {
    setSaved(false)
    const saved = await call('PATCH /v1/admin/channels/{name}', { params: { name: current.name }, body: changes })
    queries.setQueryData(['channel', current.name], saved)
    await queries.invalidateQueries({ queryKey: ['channels'] })
    show(saved)
    setSaved(true)
  })
  return (
    <Card title={t('settings')}>
      <form onSubmit={submit}>
        <Stack>
          <ChannelFields
            form={form}
            change={(changed) => setForm((before) => ({ ...before, ...changed }))}
            setSecrets={base.secrets}
            isReadOnly={!isWriter}
            refused={error instanceof ApiFailure ? (error.param ?? undefined) : undefined}
          />
          {isNewer && isChanged && (
            <Banner tone="warn" role="status">
              <Stack gap="sm" align="flex-start">
                <Text>{t('changedElsewhere')}</Text>
                <Button size="xs" variant="default" onClick={() => show(current)}>
                  {t('takeTheirs')}
                </Button>
              </Stack>
            </Banner>
          )}
          <ErrorPanel error={error} />
          {isSaved && !isChanged && <Text role="status">{t('saved')}</Text>}
          {isWriter && (
            <Group>
              <Button type="submit" loading={isBusy} disabled={!isChanged}>
                {c('save')}
              </Button>
              {isChanged && (
                <Button variant="default" onClick={() => show(current)}>
                  {c('discard')}
                </Button>
              )}
            </Group>
          )}
        </Stack>
      </form>
    </Card>
  )
}
