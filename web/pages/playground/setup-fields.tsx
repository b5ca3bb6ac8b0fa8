/** The agent or model, and the options of the request. */
import { SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core'
import type { Answer } from '../../api/types.ts'
import { SuggestField } from '../../parts/suggest-field.tsx'
import { useText } from '../../text/text.ts'
import { type Setup, wrongFields } from './conversation.ts'
import { playgroundText } from './text.ts'

export type Models = Answer<'GET /v1/models'>['data']

interface ModelFieldProps {
  setup: Setup
  models: Models
  change(to: { model: string }): void
  /** Read by screen readers alone: where it stands says what it is. */
  hiddenLabel?: string
}

export function ModelField({ setup, models, change, hiddenLabel }: ModelFieldProps) {
  const t = useText(playgroundText)
  const named = (isAgent: boolean) =>
    models.filter(({ owned_by }) => (owned_by === 'agent') === isAgent).map(({ id }) => id)
  const groups = [
    { group: t('agents'), items: named(true) },
    { group: t('models'), items: named(false) },
  ]
  return (
    <SuggestField
      {...(hiddenLabel === undefined ? { label: t('model') } : { 'aria-label': hiddenLabel, placeholder: t('model') })}
      maxLength={256}
      value={setup.model}
      onChange={(model) => change({ model })}
      data={groups.filter(({ items }) => items.length > 0)}
      // Without a filter: all options stay visible while one is chosen.
      filter={({ options }) => options}
      maxDropdownHeight={320}
      w={{ base: '100%', xs: 280 }}
    />
  )
}

export function SetupFields({ setup, change }: { setup: Setup; change(to: Partial<Setup>): void }) {
  const t = useText(playgroundText)
  const wrong = wrongFields(setup)
  return (
    <Stack gap="sm">
      <Textarea
        label={t('system')}
        description={t('systemHint')}
        autosize
        minRows={2}
        maxRows={10}
        maxLength={100_000}
        value={setup.system}
        onChange={(event) => change({ system: event.currentTarget.value })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={t('temperature')}
          description={t('temperatureHint')}
          inputMode="decimal"
          maxLength={10}
          value={setup.temperature}
          error={wrong.includes('temperature') ? t('temperatureWrong') : undefined}
          onChange={(event) => change({ temperature: event.currentTarget.value })}
        />
        <TextInput
          label={t('maxTokens')}
          description={t('maxTokensHint')}
          inputMode="numeric"
          maxLength={10}
          value={setup.maxTokens}
          error={wrong.includes('maxTokens') ? t('maxTokensWrong') : undefined}
          onChange={(event) => change({ maxTokens: event.currentTarget.value })}
        />
      </SimpleGrid>
    </Stack>
  )
}
