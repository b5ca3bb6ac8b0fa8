/** Resolves a tool call with an unknown outcome: the operator has checked, and records the result. */
import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import type { Step } from '../../parts/step-status.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { useLeaveGuard } from '../../parts/unsaved.ts'
import { useText } from '../../text/text.ts'
import { turnText } from './text.ts'

export function Resolve({ step }: { step: Step }) {
  const t = useText(turnText)
  const { may } = useSession()
  const queries = useQueryClient()
  const [outcome, setOutcome] = useState<'succeeded' | 'failed'>('succeeded')
  const [note, setNote] = useState('')
  useLeaveGuard(note !== '')
  const { error, isBusy, submit } = useSubmit(async () => {
    const body = { turn_id: step.turn_id, path: step.path, n: step.n, outcome, note }
    await call('POST /v1/admin/turns/unknown-effects/resolve', { body })
    setNote('')
    await queries.invalidateQueries({ queryKey: ['turn', step.turn_id] })
  })
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text>{t('unknownWhat')}</Text>
        {may('approvals.decide') && (
          <Group align="flex-end" gap="sm">
            <NativeSelect
              label={t('outcome')}
              value={outcome}
              onChange={(event) => setOutcome(event.currentTarget.value as typeof outcome)}
              data={[
                { value: 'succeeded', label: t('outcomeSucceeded') },
                { value: 'failed', label: t('outcomeFailed') },
              ]}
            />
            <TextInput
              label={t('note')}
              maxLength={2_000}
              value={note}
              onChange={(event) => setNote(event.currentTarget.value)}
            />
            <Button type="submit" loading={isBusy}>
              {t('resolve')}
            </Button>
          </Group>
        )}
        <ErrorPanel error={error} />
      </Stack>
    </form>
  )
}
