/** Creates a channel: its kind, its name, and the form of that kind. */

import { Button, Group, NativeSelect, SimpleGrid, Skeleton, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { ApiFailure, call } from '../../api/call.ts'
import type { Body, ChannelAdapter } from '../../api/types.ts'
import { useChannelAdapters } from '../../parts/channel-adapters.ts'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { targetOf } from '../../parts/link-to.tsx'
import { Page } from '../../parts/page.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { useLeaveGuard } from '../../parts/unsaved.ts'
import { sharedText } from '../../text/shared-text.ts'
import { useLanguage, useText } from '../../text/text.ts'
import { configOf } from './adapter-form.ts'
import { ChannelFields } from './channel-fields.tsx'
import { changesOf, hasChanges, newForm } from './form.ts'
import { channelText } from './text.ts'

export function NewChannel() {
  const t = useText(channelText)
  const adapters = useChannelAdapters()
  return (
    <Page title={t('newChannel')} about={t('newAbout')}>
      <ErrorPanel error={adapters.error} onRetry={() => void adapters.refetch()} />
      {adapters.isPending && <Skeleton height={320} />}
      {adapters.data && <NewChannelForm adapters={adapters.data} />}
    </Page>
  )
}

/** The kind that needs the least: its form can be sent as it is. */
const simplest = (adapters: readonly ChannelAdapter[]): ChannelAdapter | undefined =>
  adapters.find(({ fields, secrets }) => ![...fields, ...secrets].some((field) => field.is_required)) ?? adapters[0]

function NewChannelForm({ adapters }: { adapters: readonly ChannelAdapter[] }) {
  const t = useText(channelText)
  const c = useText(sharedText)
  const language = useLanguage()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [form, setForm] = useState(() => newForm(simplest(adapters)))
  const [createdName, setCreatedName] = useState<string>()
  const { adapter } = form
  const changes = changesOf(newForm(adapter), form)
  useLeaveGuard(createdName === undefined && (name !== '' || hasChanges(changes)))
  useEffect(() => {
    if (createdName !== undefined) void navigate(targetOf(`/channels/${createdName}`))
  }, [createdName, navigate])

  const { error, isBusy, submit } = useSubmit(async () => {
    if (!adapter) return
    const config = configOf(adapter.fields, form.config)
    // The list of adapters comes from the service, as this union does: it has no other name.
    const kind = adapter.name as Body<'POST /v1/admin/channels'>['adapter']
    const body = { ...changes, name: name.trim(), adapter: kind, config }
    const channel = await call('POST /v1/admin/channels', { body })
    await queries.invalidateQueries({ queryKey: ['channels'] })
    setCreatedName(channel.name)
  })
  const refused = error instanceof ApiFailure ? (error.param ?? undefined) : undefined
  return (
    <form onSubmit={submit}>
      <Stack maw={860}>
        <SimpleGrid cols={{ base: 1, sm: 2 }} style={{ alignItems: 'end' }}>
          <NativeSelect
            label={t('kind')}
            description={' '}
            value={adapter?.name ?? ''}
            data={adapters.map((one) => ({ value: one.name, label: one.title[language] }))}
            onChange={(event) => {
              const chosen = adapters.find((one) => one.name === event.currentTarget.value)
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
        <ErrorPanel error={error} messages={{ channel_name_taken: t('nameTaken') }} />
        <Group>
          <Button type="submit" loading={isBusy}>
            {c('create')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
