/** The decision on a tool call: approve, or refuse with a reason. */
import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { ApiFailure, call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { useLeaveGuard } from '../../parts/unsaved.ts'
import { useLetterKeys } from '../../parts/use-letter-keys.ts'
import { inboxKey } from '../../parts/waiting.ts'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { approvalsKey } from './approvals-key.ts'
import { ownDecisions } from './own-decisions.ts'
import { approvalsText } from './text.ts'

interface DecisionProps {
  approval: { id: string; tool: string }
  /** A puts the focus on Approve, R opens the refusal: where there is one decision on the page. */
  hasKeys?: boolean
  /** The one before has just been decided: a second click was meant for it. */
  isPausing?: boolean
  onDecided?(): void
}

export function Decision({ approval, hasKeys = false, isPausing = false, onDecided }: DecisionProps) {
  const t = useText(approvalsText)
  const c = useText(sharedText)
  const { may } = useSession()
  const queries = useQueryClient()
  const approveButton = useRef<HTMLButtonElement>(null)
  const refuseButton = useRef<HTMLButtonElement>(null)
  const [isRefusing, setRefusing] = useState(false)
  // The buttons are there again with the next paint.
  const giveUp = () => {
    setRefusing(false)
    requestAnimationFrame(() => refuseButton.current?.focus())
  }
  const [reason, setReason] = useState('')
  const reload = () => {
    void queries.invalidateQueries({ queryKey: inboxKey })
    return queries.invalidateQueries({ queryKey: approvalsKey })
  }
  const decide = async (decision: 'approve' | 'refuse') => {
    ownDecisions.add(approval.id)
    try {
      const refusal = decision === 'refuse' && reason.trim() !== '' ? { reason: reason.trim() } : {}
      await call('POST /v1/admin/approvals/decide', { body: { approval_id: approval.id, decision, ...refusal } })
      setReason('')
      onDecided?.()
      await reload()
    } catch (error) {
      ownDecisions.remove(approval.id)
      if (error instanceof ApiFailure && error.status === 409) void reload()
      throw error
    }
  }
  const approving = useSubmit(() => decide('approve'))
  const refusing = useSubmit(() => decide('refuse'))
  const isBusy = approving.isBusy || refusing.isBusy
  useLeaveGuard(isRefusing && reason.trim() !== '' && !isBusy)
  const keys = { a: () => approveButton.current?.focus(), r: () => setRefusing(true) }
  useLetterKeys(hasKeys && !isRefusing && !isBusy && may('approvals.decide') ? keys : undefined)
  if (!may('approvals.decide')) return <p>{t('mayNotDecide')}</p>
  return (
    <Stack gap="sm">
      {isRefusing ? (
        <form
          onSubmit={refusing.submit}
          aria-label={t('refuseTitle', { tool: approval.tool })}
          onKeyDown={({ key }) => key === 'Escape' && giveUp()}
        >
          <Stack gap="sm">
            <TextInput
              label={t('reason')}
              description={t('reasonHint')}
              maxLength={2_000}
              value={reason}
              autoFocus
              onChange={(event) => setReason(event.currentTarget.value)}
            />
            <Group gap="sm">
              <Button type="submit" color="red" loading={isBusy}>
                {t('refuse')}
              </Button>
              <Button variant="default" onClick={giveUp}>
                {c('cancel')}
              </Button>
            </Group>
          </Stack>
        </form>
      ) : (
        <Group gap="sm">
          <Button
            ref={approveButton}
            loading={isBusy}
            disabled={isPausing}
            {...(hasKeys && {
              rightSection: (
                <kbd aria-hidden className="kbd">
                  A
                </kbd>
              ),
            })}
            aria-keyshortcuts={hasKeys ? 'A' : undefined}
            onClick={() => approving.submit()}
          >
            {t('approve')}
          </Button>
          <Button
            ref={refuseButton}
            variant="default"
            color="red"
            disabled={isBusy || isPausing}
            {...(hasKeys && {
              rightSection: (
                <kbd aria-hidden className="kbd">
                  R
                </kbd>
              ),
            })}
            aria-keyshortcuts={hasKeys ? 'R' : undefined}
            onClick={() => setRefusing(true)}
          >
            {t('refuse')}
          </Button>
        </Group>
      )}
      <ErrorPanel error={approving.error ?? refusing.error} messages={{ already_decided: t('already') }} />
    </Stack>
  )
}
