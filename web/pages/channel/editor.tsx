/** The form of a channel that is there: it sends what was changed, and keeps what was typed while other things change. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ApiFailure, call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { useLeaveGuard } from '../../parts/unsaved.ts'
import { sharedWords } from '../../text/shared-words.ts'
import { useText } from '../../text/text.ts'
import { ChannelFields } from './channel-fields.tsx'
import { type Channel, changesOf, formOf, hasChanges, isConfiguredOtherwise } from './form.ts'
import { channelText } from './text.ts'

export function Editor({ read }: { read: Channel }) {
  const [t, c] = [useText(channelText), useText(sharedWords)]
  const isWriter = useSession().may('channels.write')
  const queries = useQueryClient()
  const [base, setBase] = useState(read)
  const [form, setForm] = useState(() => formOf(read))
  const [isSaved, setSaved] = useState(false)
  const changes = changesOf(formOf(base), form)
  const isChanged = hasChanges(changes)
  // Paused or turned off is not of the form.
  const isNewer = isConfiguredOtherwise(base, read)
  useLeaveGuard(isChanged)

  function take(channel: Channel): void {
    setBase(channel)
    setForm(formOf(channel))
  }
  useEffect(() => {
    // Nothing was typed: what is newer is shown.
    if (isNewer && !isChanged) {
      setBase(read)
      setForm(formOf(read))
    }
  }, [read, isNewer, isChanged])

  const { error, isBusy, submit } = useSubmit(async () => {
    setSaved(false)
    const saved = await call('PATCH /v1/admin/channels/{name}', { params: { name: read.name }, body: changes })
    queries.setQueryData(['channel', read.name], saved)
    await queries.invalidateQueries({ queryKey: ['channels'] })
    take(saved)
    setSaved(true)
  })
  return (
    <form onSubmit={submit}>
      <Stack maw={860}>
        <ChannelFields
          form={form}
          change={(changed) => setForm((before) => ({ ...before, ...changed }))}
          setSecrets={base.secrets}
          isReadOnly={!isWriter}
          refused={error instanceof ApiFailure ? (error.param ?? undefined) : undefined}
        />
        {isNewer && isChanged && (
          <Alert color="yellow" role="status">
            <Stack gap="xs" align="flex-start">
              <Text size="sm">{t('changedElsewhere')}</Text>
              <Button size="xs" variant="default" onClick={() => take(read)}>
                {t('takeTheirs')}
              </Button>
            </Stack>
          </Alert>
        )}
        <ErrorPanel error={error} />
        {isSaved && !isChanged && (
          <Text size="sm" role="status">
            {t('saved')}
          </Text>
        )}
        {isWriter && (
          <Group>
            <Button type="submit" loading={isBusy} disabled={!isChanged}>
              {c('save')}
            </Button>
            {isChanged && (
              <Button variant="default" onClick={() => take(read)}>
                {c('discard')}
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </form>
  )
}
