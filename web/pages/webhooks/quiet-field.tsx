/** Quiet hours: from and to by the clock of a time zone, or none. */
import { Checkbox, Group, Stack, TextInput } from '@mantine/core'
import { SuggestField } from '../../parts/suggest-field.tsx'
import { useText } from '../../text/text.ts'
import type { Subscription } from './subscription.ts'
import { webhooksText } from './text.ts'

export type QuietHours = NonNullable<Subscription['quiet_hours']>

/** By the clock of this browser. */
const usual = (): QuietHours => ({
  from: '22:00',
  to: '07:00',
  time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
})

interface QuietFieldProps {
  quiet: QuietHours | null
  error: string | undefined
  onChange(quiet: QuietHours | null): void
}

export function QuietField({ quiet, error, onChange }: QuietFieldProps) {
  const t = useText(webhooksText)
  return (
    <Stack gap="sm">
      <Checkbox
        label={t('quiet')}
        description={t('quietHint')}
        checked={quiet !== null}
        onChange={(event) => onChange(event.currentTarget.checked ? usual() : null)}
      />
      {quiet && (
        <Group align="flex-start" gap="sm">
          {(['from', 'to'] as const).map((edge) => (
            <TextInput
              key={edge}
              type="time"
              label={t(edge === 'from' ? 'quietFrom' : 'quietTo')}
              required
              value={quiet[edge]}
              onChange={(event) => onChange({ ...quiet, [edge]: event.currentTarget.value })}
            />
          ))}
          <SuggestField
            label={t('timeZone')}
            required
            maxLength={64}
            limit={20}
            data={Intl.supportedValuesOf('timeZone')}
            error={error}
            value={quiet.time_zone}
            onChange={(time_zone) => onChange({ ...quiet, time_zone })}
          />
        </Group>
      )}
    </Stack>
  )
}
