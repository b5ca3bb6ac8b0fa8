/** One turn: its outcome, its figures, what was asked and answered, and its model calls and tools on a timeline. */

import { Button, Group, Skeleton } from '@mantine/core'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { call } from '../../api/call.ts'
import { refetchNow, useEvents } from '../../api/feed.ts'
import { useSession } from '../../app/session.tsx'
import { Card } from '../../parts/card.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { linkTo } from '../../parts/link-to.tsx'
import { Page } from '../../parts/page.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { isOpen, TurnStatusBadge } from '../../parts/turn-status.tsx'
import { useThrottled } from '../../parts/use-throttled.ts'
import { useText } from '../../text/text.ts'
import { waitsOf } from './branches.ts'
import { TurnEndpoints, TurnFacts, TurnProblems } from './facts.tsx'
import { QuestionAndAnswer } from './question-and-answer.tsx'
import { turnText } from './text.ts'
import { Timeline } from './timeline.tsx'
import type { Turn } from './turn.ts'

const turnEvents = [
  'turn.started',
  'turn.completed',
  'turn.cancelled',
  'turn.interrupted',
  'turn.failed',
  'turn.waiting',
  'step.waiting',
  'step.started',
  'step.succeeded',
  'step.failed',
  'step.unknown',
] as const

/** The title is what was asked, as far as one line goes. */
const titleLengthMax = 80

export default function TurnPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const t = useText(turnText)
  const turn = useQuery({
    queryKey: ['turn', id],
    queryFn: ({ signal }) => call('GET /v1/admin/turns/{turn_id}', { params: { turn_id: id }, signal }),
  })
  const steps = useInfiniteQuery({
    queryKey: ['turn', id, 'steps'],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      call('GET /v1/admin/turns/steps', { query: { turn_id: id, limit: 200, offset: pageParam }, signal }),
    getNextPageParam: (page) => page.next_offset ?? undefined,
  })
  const { may } = useSession()
  const approvals = useQuery({
    queryKey: ['turn', id, 'approvals'],
    queryFn: ({ signal }) => call('GET /v1/admin/approvals', { query: { turn_id: id, limit: 200 }, signal }),
    enabled: may('approvals.read'),
  })
  useFollow(id, turn.data)
  const items = steps.data?.pages.flatMap((page) => page.items) ?? []
  const { data } = turn
  const asked = data?.input ?? undefined
  return (
    <Page
      title={asked === undefined ? t('title') : cut(asked)}
      facts={data && <TurnStatusBadge status={data.status} isPill />}
      actions={
        data && (
          <>
            {data.conversation_id && (
              <Button variant="default" renderRoot={linkTo(`/conversations/${data.conversation_id}`)}>
                {t('openConversation')}
              </Button>
            )}
            <Cancel turn={data} />
          </>
        )
      }
    >
      {turn.isError && <ErrorPanel error={turn.error} onRetry={() => void turn.refetch()} />}
      {turn.isPending && <Skeleton height={120} />}
      {data && (
        <>
          <TurnFacts turn={data} />
          <TurnProblems turn={data} />
        </>
      )}
      {!turn.isError && (
        <Card
          title={t('trace')}
          fact={steps.data && items.length > 0 && t(steps.hasNextPage ? 'notAll' : 'stepsOf', { n: items.length })}
          isFlush={items.length > 0}
          label={t('trace')}
        >
          {steps.isError && <ErrorPanel error={steps.error} onRetry={() => void steps.refetch()} />}
          {steps.isPending && <Skeleton height={160} />}
          {steps.data && (
            <Timeline steps={items} waits={waitsOf(approvals.data?.items ?? [])} nowMs={steps.dataUpdatedAt} />
          )}
          {steps.hasNextPage && (
            <Group p={12}>
              <Button
                size="xs"
                variant="default"
                loading={steps.isFetchingNextPage}
                onClick={() => void steps.fetchNextPage()}
              >
                {t('more')}
              </Button>
            </Group>
          )}
        </Card>
      )}
      {data && <QuestionAndAnswer turn={data} />}
      {data && <TurnEndpoints turn={data} />}
    </Page>
  )
}

const cut = (text: string): string => (text.length > titleLengthMax ? `${text.slice(0, titleLengthMax)}…` : text)

const followMs = 700

/** Refreshes on events of this turn, at most every 0.7 s, until it has ended. */
function useFollow(id: string, turn: Turn | undefined): void {
  const queries = useQueryClient()
  const soon = useThrottled(followMs, () => void refetchNow(queries, ['turn', id]))
  // The final event may arrive after the final figures, together with the last steps.
  useEvents(
    turnEvents,
    (event) => event['turn_id'] === id && soon(),
    () => (turn === undefined || isOpen(turn.status)) && soon(),
  )
}

/** A turn of the chat endpoint can be cancelled by its caller only. */
function Cancel({ turn }: { turn: Turn }) {
  const t = useText(turnText)
  const { may } = useSession()
  const queries = useQueryClient()
  const { error, isBusy, submit } = useSubmit(async () => {
    if (!window.confirm(t('cancelSure'))) return
    await call('POST /v1/admin/turns/cancel', { body: { turn_id: turn.id } })
    await queries.invalidateQueries({ queryKey: ['turn', turn.id] })
  })
  if (!isOpen(turn.status) || turn.origin === 'call' || !may('conversations.write')) return null
  return (
    <>
      <Button color="red" variant="default" loading={isBusy} onClick={() => submit()}>
        {t('cancel')}
      </Button>
      <ErrorPanel error={error} />
    </>
  )
}
