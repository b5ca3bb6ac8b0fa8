/** The policy of a channel: who answers, how many turns run at once, and how long deliveries are retried. */
import { Fieldset, NativeSelect, SimpleGrid } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { NumberField } from '../../parts/number-field.tsx'
import { SuggestField } from '../../parts/suggest-field.tsx'
import { useText } from '../../text/text.ts'
import type { Policy } from './form.ts'
import { channelText } from './text.ts'

const numbers = [
  { field: 'rate_per_s', label: 'rate', min: 0.01, max: 10_000, isWhole: false },
  { field: 'deliveries_max', label: 'deliveriesMax', min: 1, max: 1_000, isWhole: true },
  { field: 'attempts_max', label: 'attemptsMax', min: 1, max: 100, isWhole: true },
  { field: 'age_max_s', label: 'ageMax', min: 1, max: 2_592_000, isWhole: true },
  { field: 'send_timeout_s', label: 'sendTimeout', min: 1, max: 300, isWhole: true },
  { field: 'turns_max', label: 'turnsMax', min: 1, max: 10_000, isWhole: true },
  { field: 'backlog_max', label: 'backlogMax', min: 1, max: 1_000_000, isWhole: true },
] as const

interface PolicyFieldsProps {
  policy: Policy
  refused: string | undefined
  onChange(policy: Policy): void
}

export function PolicyFields({ policy, refused, onChange }: PolicyFieldsProps) {
  const t = useText(channelText)
  const agents = useAgentNames()
  return (
    <Fieldset legend={t('policy')}>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
        <SuggestField
          label={t('agent')}
          data={agents}
          required
          maxLength={64}
          value={policy.agent}
          error={refused === 'policy.agent'}
          onChange={(agent) => onChange({ ...policy, agent })}
        />
        <NativeSelect
          label={t('answers')}
          value={policy.answers}
          data={[
            { value: 'each', label: t('each') },
            { value: 'together', label: t('together') },
          ]}
          onChange={(event) =>
            onChange({ ...policy, answers: event.currentTarget.value === 'together' ? 'together' : 'each' })
          }
        />
        {numbers.map(({ field, label, min, max, isWhole }) => (
          <NumberField
            key={field}
            label={t(label)}
            required
            min={min}
            max={max}
            allowDecimal={!isWhole}
            value={policy[field]}
            error={refused === `policy.${field}`}
            onNumber={(value) => onChange({ ...policy, [field]: value ?? min })}
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  )
}

/** The built-in agent exists until somebody creates one with its name. */
function useAgentNames(): string[] {
  const { may } = useSession()
  const agents = useQuery({
    queryKey: ['agents', 'names'],
    queryFn: ({ signal }) => call('GET /v1/admin/agents', { query: { limit: 200 }, signal }),
    enabled: may('agents.read'),
  })
  return [...new Set(['default', ...(agents.data?.items.map(({ name }) => name) ?? [])])]
}
