/** The steps of a turn, live: model calls, tools, sub-agents, and pending approvals. */
import { Code, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect } from 'react'
import { call } from '../../api/call.ts'
import { useEvents } from '../../api/feed.ts'
import { useSession } from '../../app/session.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { type Step, StepStatusBadge } from '../../parts/step-status.tsx'
import { Duration } from '../../parts/time.tsx'
import { useText } from '../../text/text.ts'
import { approvalsKey } from '../approvals/approvals-key.ts'
import { TurnLink } from '../approvals/turn-link.tsx'
import { visibleJson } from '../approvals/visible-json.ts'
import type { AnswerItem } from './conversation.ts'
import styles from './playground.module.css'
import { playgroundText } from './text.ts'

/** Loaded with the first call that waits. */
const ApprovalCard = lazy(() => import('../approvals/approval-card.tsx'))

const stepsMax = 500
const followMs = 700

export function Timeline({ answer }: { answer: AnswerItem }) {
  const t = useText(playgroundText)
  const { may } = useSession()
  if (!may('conversations.read'))
    return (
      <Text size="sm" c="dimmed">
        {t('stepsHidden')}
      </Text>
    )
  return <TurnSteps answer={answer} />
}

function TurnSteps({ answer }: { answer: AnswerItem }) {
  const t = useText(playgroundText)
  const { may } = useSession()
  const isRunning = answer.state === 'running'
  const turnId = useTurnId(answer)
  const steps = useQuery({
    queryKey: ['turn-steps', turnId],
    enabled: turnId !== null,
    queryFn: ({ signal }) =>
      call('GET /v1/admin/turns/steps', { query: { turn_id: turnId ?? '', limit: stepsMax }, signal }),
    refetchInterval: isRunning ? followMs : false,
  })
  const { refetch } = steps
  useEffect(() => {
    // The last steps are stored a moment after the answer has ended.
    if (isRunning || turnId === null) return
    const timer = setTimeout(() => void refetch(), followMs)
    return () => clearTimeout(timer)
  }, [isRunning, turnId, refetch])
  const items = steps.data?.items ?? []
  const isWaiting = isRunning && items.some(({ status }) => status === 'waiting')
  return (
    <Stack gap={6}>
      {turnId !== null && isRunning && may('approvals.read') && <Pending turnId={turnId} isWaiting={isWaiting} />}
      {steps.isError && <ErrorPanel error={steps.error} onRetry={() => void refetch()} />}
      {items.length > 0 && (
        <details open={isRunning || undefined} className={styles['steps']}>
          <summary>
            <Text span>{t('timelineSteps', { n: items.length })}</Text>
          </summary>
          <ol className={styles['steps']} aria-label={t('timeline')}>
            {items.map((step) => (
              <StepLine key={`${step.path} ${step.n}`} step={step} />
            ))}
          </ol>
          {steps.data?.next_offset != null && <Text size="sm">{t('moreSteps')}</Text>}
        </details>
      )}
      {turnId !== null && !isRunning && (
        <Text size="sm" c="dimmed">
          <TurnLink id={turnId} />
        </Text>
      )}
    </Stack>
  )
}

/** The stream names its turn with the first chunk; before that, the turn is found by the request id. */
function useTurnId(answer: AnswerItem): string | null {
  const isLookupNeeded = answer.turnId === null && (answer.state === 'running' || answer.state === 'cancelled')
  const turnQuery = useQuery({
    queryKey: ['turn-of-request', answer.requestId],
    enabled: isLookupNeeded,
    queryFn: async ({ signal }) => {
      const query = { request_id: answer.requestId, limit: 1 }
      const { items } = await call('GET /v1/admin/turns', { query, signal })
      return items[0]?.id ?? null
    },
    refetchInterval: ({ state }) => (isLookupNeeded && answer.state === 'running' && !state.data ? followMs : false),
  })
  return answer.turnId ?? turnQuery.data ?? null
}

function Pending({ turnId, isWaiting }: { turnId: string; isWaiting: boolean }) {
  const pending = useQuery({
    queryKey: [...approvalsKey, 'turn', turnId],
    queryFn: ({ signal }) =>
      call('GET /v1/admin/approvals', { query: { turn_id: turnId, status: 'pending', limit: 50 }, signal }),
    // If the feed is down, a waiting step is the only sign of a pending approval.
    refetchInterval: isWaiting ? 2_000 : false,
  })
  const { refetch } = pending
  // biome-ignore lint/correctness/useExhaustiveDependencies: refetched when the first step starts to wait, and when none waits any more
  useEffect(() => void refetch(), [refetch, isWaiting])
  useEvents(['approval.requested', 'approval.decided'], (event) => {
    if (event['turn_id'] === turnId) void refetch()
  })
  return (
    <>
      {pending.isError && <ErrorPanel error={pending.error} onRetry={() => void refetch()} />}
      <Suspense>
        {pending.data?.items.map((approval) => (
          <ApprovalCard key={approval.id} approval={approval} />
        ))}
      </Suspense>
    </>
  )
}

function StepLine({ step }: { step: Step }) {
  const t = useText(playgroundText)
  const depth = step.path === '' ? 0 : step.path.split('/').length
  const hasMore = step.kind === 'tool'
  const head = (
    <Group component="span" gap={6} display="inline-flex">
      <Text span size="sm" c="dimmed">
        {t(step.kind === 'model' ? 'modelCall' : 'toolCall')}
      </Text>
      <Code>{step.name}</Code>
      <StepStatusBadge status={step.status} />
      {step.duration_ms !== null && (
        <Text span size="sm" c="dimmed">
          <Duration ms={step.duration_ms} />
        </Text>
      )}
      {step.completion_tokens !== null && (
        <Text span size="sm" c="dimmed">
          {t('tokens', { n: (step.prompt_tokens ?? 0) + step.completion_tokens })}
        </Text>
      )}
      {step.error_code !== null && <Code>{step.error_code}</Code>}
      {step.path !== '' && (
        <Text span size="sm" c="dimmed">
          {placeOf(step.path, t)}
        </Text>
      )}
    </Group>
  )
  return (
    <li className={styles['step']} style={{ marginLeft: Math.min(depth, 4) * 16 }}>
      {hasMore ? (
        <details>
          <summary>{head}</summary>
          <LabelledValue label={t('arguments')} value={step.request} />
          {step.result !== null && <LabelledValue label={t('result')} value={step.result} />}
        </details>
      ) : (
        head
      )}
    </li>
  )
}

/** Describes the last part of a path: `101` is the sub-agent of the first call in the second round. */
function placeOf(path: string, t: (key: 'subAgent', values: { n: number; round: number }) => string): string {
  const last = path.split('/').at(-1) ?? ''
  const number = Number(last)
  return Number.isInteger(number) && last !== ''
    ? t('subAgent', { n: number % 100, round: Math.floor(number / 100) + 1 })
    : path
}

function LabelledValue({ label, value }: { label: string; value: unknown }) {
  return (
    <>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Code block tabIndex={0} role="group" aria-label={label}>
        {typeof value === 'string' ? value : visibleJson(value)}
      </Code>
    </>
  )
}
