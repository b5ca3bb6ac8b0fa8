/** The dialog to add or change a model endpoint: tested and asked for its models before it is saved. */
import { Button, Checkbox, Group, NativeSelect, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { FormButtons } from '../../parts/form-buttons.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { TagsField } from '../../parts/tags-field.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { TrialOutcome } from '../first-steps/trial.tsx'
import { useTrial } from '../first-steps/use-trial.ts'
import type { Endpoint } from './endpoint.ts'
import { modelsText } from './text.ts'

const providers = ['compatible', 'native', 'subscription'] as const
type Provider = (typeof providers)[number]

interface Fields {
  name: string
  provider: Provider
  url: string
  key: string
  removesKey: boolean
  models: string[]
  isEnabled: boolean
}

interface EndpointDialogProps {
  /** Absent: a new one. */
  endpoint?: Endpoint
  onSaved(): Promise<void>
  onClose(): void
}

export function EndpointDialog({ endpoint, onSaved, onClose }: EndpointDialogProps) {
  const t = useText(modelsText)
  const c = useText(sharedText)
  const [fields, setFields] = useState<Fields>(() => fieldsOf(endpoint))
  const asked = askedOf(fields, endpoint)
  const [firstModel = ''] = fields.models
  const testing = useTrial({ ...asked, model: firstModel })
  const [listed, setListed] = useState<string[]>()
  const listing = useSubmit(async () => {
    setListed((await call('POST /v1/admin/models/offered', { body: asked })).models)
  })
  const saving = useSubmit(async () => {
    const { name, provider, url, models, isEnabled: enabled } = fields
    const key = keyOf(fields, endpoint)
    await call('POST /v1/admin/models/endpoints/set', {
      body: { name: name.trim(), provider, url: url.trim(), models, enabled, ...(key !== undefined && { key }) },
    })
    await onSaved()
  })
  const change = (changed: Partial<Fields>) => {
    setFields((before) => ({ ...before, ...changed }))
    testing.stop()
  }
  /** One that is switched off is not asked, so it need not answer. */
  async function testAndSave(): Promise<void> {
    if (!fields.isEnabled || (await testing.run())?.ok) saving.submit()
  }
  const hasAddress = fields.url.trim() !== ''
  return (
    <Dialog title={endpoint ? t('edit', { name: endpoint.name }) : t('add')} onClose={onClose} isFirm>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void testAndSave()
        }}
      >
        <Stack>
          {!endpoint && (
            <TextInput
              label={c('name')}
              description={t('nameHint')}
              required
              maxLength={63}
              autoComplete="off"
              data-autofocus
              value={fields.name}
              onChange={(event) => change({ name: event.currentTarget.value })}
            />
          )}
          <NativeSelect
            label={t('provider')}
            value={fields.provider}
            data={providers.map((value) => ({ value, label: t(value) }))}
            onChange={(event) => change({ provider: event.currentTarget.value as Provider })}
          />
          <TextInput
            label={t('address')}
            description={t('addressHint')}
            type="url"
            required
            autoComplete="off"
            value={fields.url}
            onChange={(event) => change({ url: event.currentTarget.value })}
          />
          <PasswordInput
            label={t('key')}
            description={t(endpoint?.has_key ? 'keyStays' : 'keyHint')}
            autoComplete="off"
            disabled={fields.removesKey}
            value={fields.key}
            onChange={(event) => change({ key: event.currentTarget.value })}
          />
          {endpoint?.has_key && (
            <Checkbox
              label={t('keyNone')}
              checked={fields.removesKey}
              onChange={(event) => change({ removesKey: event.currentTarget.checked, key: '' })}
            />
          )}
          <TagsField
            label={t('models')}
            description={t('modelsHint')}
            maxTags={500}
            clearable
            limit={200}
            data={listed ?? []}
            value={fields.models}
            onChange={(models) => change({ models })}
          />
          {listed && (
            <Group gap="sm" role="status">
              <Text>{t('filled', { n: listed.length })}</Text>
              <Button
                size="xs"
                variant="default"
                onClick={() => change({ models: [...new Set([...fields.models, ...listed])].slice(0, 500) })}
              >
                {t('takeAll')}
              </Button>
            </Group>
          )}
          <Checkbox
            label={t('enabled')}
            checked={fields.isEnabled}
            onChange={(event) => change({ isEnabled: event.currentTarget.checked })}
          />
          <Text size="sm" c="dimmed">
            {t('testNothingStored')}
          </Text>
          <Group gap="sm">
            <Button variant="default" disabled={!hasAddress} loading={listing.isBusy} onClick={() => listing.submit()}>
              {t('fill')}
            </Button>
            <Button variant="default" disabled={!hasAddress} loading={testing.isBusy} onClick={testing.begin}>
              {t('test')}
            </Button>
          </Group>
          <ErrorPanel error={listing.error} />
          <TrialOutcome
            testing={testing}
            onSaveAnyway={fields.name.trim() === '' ? undefined : () => saving.submit()}
          />
          <ErrorPanel error={saving.error} messages={{ too_many_model_endpoints: t('full') }} />
          <FormButtons
            action={fields.isEnabled ? t('testAndSave') : c('save')}
            isBusy={saving.isBusy || testing.isBusy}
            isDisabled={!hasAddress || fields.name.trim() === ''}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  )
}

function fieldsOf(endpoint: Endpoint | undefined): Fields {
  return {
    name: endpoint?.name ?? '',
    provider: providers.find((each) => each === endpoint?.provider) ?? 'compatible',
    url: endpoint?.url ?? '',
    key: '',
    removesKey: false,
    models: endpoint?.models ?? [],
    isEnabled: endpoint?.enabled ?? true,
  }
}

/** Undefined: the stored one stays. */
function keyOf({ key, removesKey }: Fields, endpoint: Endpoint | undefined): string | undefined {
  return key === '' && !removesKey && endpoint ? undefined : key
}

/** The endpoint as it is in the form, for a test and for its list of models. */
function askedOf(fields: Fields, endpoint: Endpoint | undefined) {
  const key = keyOf(fields, endpoint)
  return {
    ...(endpoint && { endpoint: endpoint.name }),
    provider: fields.provider,
    gateway_url: fields.url.trim(),
    ...(key !== undefined && { key }),
  }
}
