/** Making a channel: its kind, its name, and the form of that kind. */
import { Anchor, Button, Group, NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { ApiFailure, call } from '../../api/call.ts'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { Page } from '../../parts/page.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { useLeaveGuard } from '../../parts/unsaved.ts'
import { sharedWords } from '../../text/shared-words.ts'
import { useText } from '../../text/text.ts'
import { channelsText } from '../channels/text.ts'
import { type AdapterName, adapterNames, configOf } from './adapter-fields.ts'
import { ChannelFields } from './channel-fields.tsx'
import { changesOf, hasChanges, newForm } from './form.ts'
import { channelText } from './text.ts'

export function NewChannel() {
  const [t, kinds, c] = [useText(channelText), useText(channelsText), useText(sharedWords)]
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [adapter, setAdapter] = useState<AdapterName>('generic')
  const [form, setForm] = useState(() => newForm('generic'))
  const [made, setMade] = useState<string>()
  const changes = changesOf(newForm(adapter), form)
  useLeaveGuard(made === undefined && (name !== '' || hasChanges(changes)))
  useEffect(() => {
    if (made !== undefined) void navigate({ to: `/channels/${made}` as '/' })
  }, [made, navigate])

  const { error, isBusy, submit } = useSubmit(async () => {
    const body = { ...changes, name: name.trim(), adapter, config: configOf(adapter, form.config) }
    const channel = await call('POST /v1/admin/channels', { body })
    await queries.invalidateQueries({ queryKey: ['channels'] })
    setMade(channel.name)
  })
  const refused = error instanceof ApiFailure ? (error.param ?? undefined) : undefined
  return (
    <Page
      title={t('newChannel')}
      about={t('newAbout')}
      actions={
        <Anchor size="sm" renderRoot={(props) => <Link to={'/channels' as '/'} {...props} />}>
          {t('channels')}
        </Anchor>
      }
    >
      <form onSubmit={submit}>
        <Stack maw={860}>
          <SimpleGrid cols={{ base: 1, sm: 2 }} style={{ alignItems: 'end' }}>
            <NativeSelect
              label={t('kind')}
              description={' '}
              value={adapter}
              data={adapterNames.map((value) => ({ value, label: kinds(value) }))}
              onChange={(event) => {
                const chosen = adapterNames.find((known) => known === event.currentTarget.value) ?? 'generic'
                setAdapter(chosen)
                setForm(({ policy }) => ({ ...newForm(chosen), policy }))
              }}
            />
            <TextInput
              label={c('name')}
              description={t('nameHint')}
              required
              maxLength={64}
              pattern="[a-z0-9][a-z0-9._\-]*"
              value={name}
              error={refused === 'name'}
              onChange={(event) => setName(event.currentTarget.value)}
            />
          </SimpleGrid>
          <ChannelFields
            form={form}
            change={(changed) => setForm((before) => ({ ...before, ...changed }))}
            setSecrets={[]}
            isReadOnly={false}
            refused={refused}
          />
          <ErrorPanel error={error} words={{ channel_name_taken: t('nameTaken') }} />
          <Group>
            <Button type="submit" loading={isBusy}>
              {c('create')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Page>
  )
}
