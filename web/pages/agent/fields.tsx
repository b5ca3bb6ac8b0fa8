/** The fields of an agent's definition. */
import { Fieldset, NativeSelect, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core'
import { useSession } from '../../app/session.tsx'
import { useModelList } from '../../parts/model-list.ts'
import { NumberField } from '../../parts/number-field.tsx'
import { SuggestField } from '../../parts/suggest-field.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { efforts, type FieldsProps } from './draft.ts'
import { agentText } from './text.ts'
import { ToolFields } from './tool-fields.tsx'

export function Fields(props: FieldsProps) {
  const { draft, change, isReadOnly, refused } = props
  const t = useText(agentText)
  const c = useText(sharedText)
  const models = useModels()
  return (
    <Fieldset variant="unstyled" disabled={isReadOnly}>
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label={c('name')}
            description={t('nameHint')}
            required
            maxLength={64}
            pattern="[A-Za-z0-9][A-Za-z0-9._\-]*"
            value={draft.name}
            error={refused === 'name'}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
          <SuggestField
            label={t('model')}
            description={t('modelHint')}
            data={models}
            maxLength={256}
            value={draft.model}
            error={refused === 'model'}
            onChange={(model) => change({ model })}
          />
        </SimpleGrid>
        <Textarea
          label={t('instructions')}
          description={t('instructionsHint')}
          autosize
          minRows={6}
          maxRows={24}
          maxLength={100_000}
          value={draft.instructions}
          onChange={(event) => change({ instructions: event.currentTarget.value })}
        />
        <Textarea
          label={t('persona')}
          description={t('personaHint')}
          autosize
          minRows={3}
          maxRows={12}
          maxLength={20_000}
          value={draft.persona}
          onChange={(event) => change({ persona: event.currentTarget.value })}
        />
        <Parameters {...props} />
        <ToolFields {...props} />
      </Stack>
    </Fieldset>
  )
}

function Parameters({ draft, change, refused }: FieldsProps) {
  const t = useText(agentText)
  const numbers = [
    { field: 'temperature', label: 'temperature', hint: 'temperatureHint', min: 0, max: 2, step: 0.1 },
    { field: 'top_p', label: 'topP', hint: 'topPHint', min: 0, max: 1, step: 0.05 },
    { field: 'max_tokens', label: 'maxTokens', hint: 'maxTokensHint', min: 1, step: 256 },
    { field: 'context_tokens', label: 'contextTokens', hint: 'contextTokensHint', min: 500, step: 1_000 },
  ] as const
  return (
    <Fieldset legend={t('parameters')}>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
        {numbers.map(({ field, label, hint, min, step, ...more }) => (
          <NumberField
            key={field}
            label={t(label)}
            description={t(hint)}
            min={min}
            max={'max' in more ? more.max : Number.MAX_SAFE_INTEGER}
            step={step}
            allowDecimal={step < 1}
            value={draft[field]}
            error={refused === field}
            onNumber={(value) => change({ [field]: value })}
          />
        ))}
        <NativeSelect
          label={t('effort')}
          description={t('effortHint')}
          value={draft.reasoning_effort ?? ''}
          onChange={(event) => {
            const selected = event.currentTarget.value
            change({ reasoning_effort: efforts.find((effort) => effort === selected) })
          }}
          data={[{ value: '', label: t('effortUnset') }, ...efforts]}
        />
      </SimpleGrid>
    </Fieldset>
  )
}

/** Suggestions; any other name can be typed, because the endpoint may have more models. */
function useModels(): string[] {
  const { may } = useSession()
  const models = useModelList(may('chat.use'))
  return models.data?.filter((model) => model.owned_by !== 'agent').map(({ id }) => id) ?? []
}
