/** Approvals: calls that wait for an operator, live, and the history of decisions. */

import { Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { refetchNow, useEvents } from '../../api/feed.ts'
import { Banner } from '../../parts/banner.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { Page } from '../../parts/page.tsx'
import { useText } from '../../text/text.ts'
import { type Approval, ApprovalCard, approvalsKey } from './approval-card.tsx'
import { History } from './history.tsx'
import { ownDecisions } from './own-decisions.ts'
import { approvalsText } from './text.ts'

const shownMax = 100
/** In case the feed is down. */
const refetchMs = 15_000

export default function ApprovalsPage() {
  const t = useText(approvalsText)
  const [decided, dismiss, remember] = useDecidedElsewhere()
  const waiting = useQuery({
    queryKey: [...approvalsKey, 'pending'],
    queryFn: ({ signal }) => call('GET /v1/admin/approvals', { query: { status: 'pending', limit: shownMax }, signal }),
    refetchInterval: refetchMs,
  })
  const { data } = waiting
  useEffect(() => remember(data?.items ?? []), [data, remember])
  return (
    <Page title={t('title')} about={t('about')}>
      <Stack component="section" aria-label={t('waiting')} gap="sm" maw={860}>
        {waiting.isError && <ErrorPanel error={waiting.error} onRetry={() => void waiting.refetch()} />}
        {!data && waiting.isPending && <Skeleton height={140} />}
        <div role="status">
          {decided.map(({ approval, status }) => (
            <Banner key={approval.id} tone="warn">
              <Group justify="space-between">
                <Text>{t('decidedElsewhere', { tool: approval.tool, agent: approval.agent, status: t(status) })}</Text>
                <Button size="xs" variant="default" onClick={() => dismiss(approval.id)}>
                  {t('dismiss')}
                </Button>
              </Group>
            </Banner>
          ))}
        </div>
        {data?.items.map((approval) => (
          <ApprovalCard key={approval.id} approval={approval} />
        ))}
        {data?.items.length === 0 && (
          <Text c="dimmed">
            {t('noneWaiting')} {t('noneWaitingNext')}
          </Text>
        )}
        {data?.next_cursor != null && <Text c="dimmed">{t('more')}</Text>}
      </Stack>
      <Title order={2}>{t('history')}</Title>
      <History />
    </Page>
  )
}

interface DecidedElsewhere {
  approval: Approval
  status: Exclude<Approval['status'], 'pending'>
}

/** Reloads at each event, and remembers approvals on the page that somebody else has decided. */
function useDecidedElsewhere(): [DecidedElsewhere[], (id: string) => void, (items: readonly Approval[]) => void] {
  const queries = useQueryClient()
  const visible = useRef<readonly Approval[]>([])
  const [decided, setDecided] = useState<DecidedElsewhere[]>([])
  const refresh = () => void refetchNow(queries, approvalsKey)
  useEvents(
    ['approval.requested', 'approval.decided'],
    ({ kind, approval_id: id, status }) => {
      const approval = visible.current.find((one) => one.id === id)
      if (kind === 'approval.decided' && approval && !ownDecisions.has(approval.id))
        setDecided((before) => [
          ...before.filter((one) => one.approval.id !== id).slice(-4),
          { approval, status: status as DecidedElsewhere['status'] },
        ])
      refresh()
    },
    refresh,
  )
  return [
    decided,
    (id) => setDecided((before) => before.filter(({ approval }) => approval.id !== id)),
    useRef((items: readonly Approval[]) => {
      visible.current = items
    }).current,
  ]
}
