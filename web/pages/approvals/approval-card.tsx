/** One pending tool call: its exact arguments, the time left, and the decision. */
import { Badge, Button, Card, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiFailure, call } from '../../api/call.ts'
import type { Answer } from '../../api/types.ts'
import { useSession } from '../../app/session.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { durationText, Time } from '../../parts/time.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useLanguage, useText } from '../../text/text.ts'
import { ownDecisions } from './own-decisions.ts'
import { approvalsText } from './text.ts'
import { TurnLink } from './turn-link.tsx'
import { useNow } from './use-now.ts'
import { visibleJson } from './visible-json.ts'

export type Approval = Answer<'GET /v1/admin/approvals'>['items'][number]
export const approvalsKey = ['approvals'] as const

interface ApprovalCardProps {
  approval: Approval
  /** True: the turn is already on the page, so no link to it is shown. */
  isInTurn?: boolean
}

export function ApprovalCard({ approval, isInTurn = false }: ApprovalCardProps) {
  const t = useText(approvalsText)
  const { may } = useSession()
  return (
    <Card
      withBorder
      padding="sm"
      component="section"
      aria-label={`${t('asks', { agent: approval.agent })} ${approval.tool}`}
    >
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Text>
            {t('asks', { agent: approval.agent })} <Code>{approval.tool}</Code>
            {approval.path !== '' && ` ${t('inSubAgent', { path: approval.path })}`}
          </Text>
          <Expiry at={approval.expires_at} />
        </Group>
        <Code block tabIndex={0} role="region" aria-label={t('arguments')} mah={320} style={{ overflow: 'auto' }}>
          {visibleJson(approval.arguments)}
        </Code>
        {!isInTurn && (
          <Text size="sm" c="dimmed">
            {t('requested')} <Time iso={approval.requested_at} /> · <TurnLink id={approval.turn_id} />
          </Text>
        )}
        {may('approvals.decide') ? <Decision approval={approval} /> : <Text>{t('mayNotDecide')}</Text>}
      </Stack>
    </Card>
  )
}

function Expiry({ at }: { at: string }) {
  const t = useText(approvalsText)
  const language = useLanguage()
  const leftMs = Date.parse(at) - useNow()
  if (leftMs <= 0)
    return (
      <Badge color="red" variant="light" tt="none">
        {t('expiredNow')}
      </Badge>
    )
  const time = durationText(Math.ceil(leftMs / 1_000) * 1_000, language)
  return (
    <Badge color={leftMs < 300_000 ? 'yellow' : 'gray'} variant="light" tt="none" title={at}>
      {t('expires', { time })}
    </Badge>
  )
}

function Decision({ approval }: { approval: Approval }) {
  const t = useText(approvalsText)
  const c = useText(sharedText)
  const queries = useQueryClient()
  const [isRefusing, setRefusing] = useState(false)
  const [reason, setReason] = useState('')
  const decide = async (decision: 'approve' | 'refuse') => {
    ownDecisions.add(approval.id)
    try {
      const refusal = decision === 'refuse' && reason.trim() !== '' ? { reason: reason.trim() } : {}
      await call('POST /v1/admin/approvals/decide', { body: { approval_id: approval.id, decision, ...refusal } })
      await queries.invalidateQueries({ queryKey: approvalsKey })
    } catch (error) {
      ownDecisions.remove(approval.id)
      if (error instanceof ApiFailure && error.status === 409)
        void queries.invalidateQueries({ queryKey: approvalsKey })
      throw error
    }
  }
  const approving = useSubmit(() => decide('approve'))
  const refusing = useSubmit(() => decide('refuse'))
  const isBusy = approving.isBusy || refusing.isBusy
  return (
    <>
      {isRefusing ? (
        <form onSubmit={refusing.submit} aria-label={t('refuseTitle', { tool: approval.tool })}>
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
              <Button type="submit" size="xs" color="red" loading={isBusy}>
                {t('refuse')}
              </Button>
              <Button size="xs" variant="default" onClick={() => setRefusing(false)}>
                {c('cancel')}
              </Button>
            </Group>
          </Stack>
        </form>
      ) : (
        <Group gap="sm">
          <Button size="xs" loading={isBusy} onClick={() => approving.submit()}>
            {t('approve')}
          </Button>
          <Button size="xs" variant="default" disabled={isBusy} onClick={() => setRefusing(true)}>
            {t('refuse')}
          </Button>
        </Group>
      )}
      <ErrorPanel error={approving.error ?? refusing.error} messages={{ already_decided: t('already') }} />
    </>
  )
}
