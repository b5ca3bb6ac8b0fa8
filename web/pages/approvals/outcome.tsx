/** A call whose outcome is unknown: an operator has looked, and records what came of it. */
import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { useLeaveGuard } from '../../parts/unsaved.ts'
import { inboxKey } from '../../parts/waiting.ts'
import { useText } from '../../text/text.ts'
import { approvalsText } from './text.ts'

interface OutcomeProps {
  step: { turn_id: string; path: string; n: number }
  /** The one before has just been decided: a second click was meant for it. */
  isPausing?: boolean
  onDecided?(): void
}

export function Outcome({ step: { turn_id, path, n }, isPausing = false, onDecided }: OutcomeProps) {
  const t = useText(approvalsText)
  const { may } = useSession()
  const queries = useQueryClient()
  const [note, setNote] = useState('')
  const record = async (outcome: 'succeeded' | 'failed') => {
    try {
      await call('POST /v1/admin/turns/unknown-effects/resolve', { body: { turn_id, path, n, outcome, note } })
      setNote('')
      onDecided?.()
    } finally {
      void queries.invalidateQueries({ queryKey: inboxKey })
      void queries.invalidateQueries({ queryKey: ['turn', turn_id] })
    }
  }
  const took = useSubmit(() => record('succeeded'))
  const tookNot = useSubmit(() => record('failed'))
  const isBusy = took.isBusy || tookNot.isBusy
  useLeaveGuard(note.trim() !== '' && !isBusy)
  if (!may('approvals.decide')) return <p>{t('mayNotDecide')}</p>
  return (
    <Stack gap="sm">
      <TextInput
        label={t('found')}
        maxLength={2_000}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
      <Group gap="sm">
        <Button disabled={tookNot.isBusy || isPausing} loading={took.isBusy} onClick={() => took.submit()}>
          {t('tookEffect')}
        </Button>
        <Button
          variant="default"
          disabled={took.isBusy || isPausing}
          loading={tookNot.isBusy}
          onClick={() => tookNot.submit()}
        >
          {t('tookNoEffect')}
        </Button>
      </Group>
      <ErrorPanel error={took.error ?? tookNot.error} messages={{ not_found: t('alreadyRecorded') }} />
    </Stack>
  )
}
