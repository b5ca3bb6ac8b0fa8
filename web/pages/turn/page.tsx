/** One turn: its outcome, its figures, and its model calls and tools on a timeline. */

import { Anchor, Button, Code, Group, SimpleGrid, Skeleton, Text, Title } from '@mantine/core'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { call } from '../../api/call.ts'
import { refetchNow, useEvents } from '../../api/feed.ts'
import type { Answer } from '../../api/types.ts'
import { useSession } from '../../app/session.tsx'
import { Banner } from '../../parts/banner.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { linkTo } from '../../parts/link-to.tsx'
import { Page } from '../../parts/page.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { Duration, durationText, Time } from '../../parts/time.tsx'
import { isOpen, TurnStatusBadge } from '../../parts/turn-status.tsx'
import { useThrottled } from '../../parts/use-throttled.ts'
import { useLanguage, useText } from '../../text/text.ts'
import { turnText } from './text.ts'
import { Timeline } from './timeline.tsx'

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

type Turn = Answer<'GET /v1/admin/turns/{turn_id}'>

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
  useFollow(id, turn.data)
  const items = steps.data?.pages.flatMap((page) => page.items) ?? []
  return (
    <Page
      title={t('title')}
      actions={
        <>
          {turn.data && <Cancel turn={turn.data} />}
          <Button variant="default" size="sm" renderRoot={linkTo('/turns')}>
            {t('turns')}
          </Button>
        </>
      }
    >
      {turn.isError && <ErrorPanel error={turn.error} onRetry={() => void turn.refetch()} />}
      {turn.isPending && <Skeleton height={120} />}
      {turn.data && <Facts turn={turn.data} />}
      {!turn.isError && (
        <>
          <Title order={2}>{t('steps')}</Title>
          {steps.isError && <ErrorPanel error={steps.error} onRetry={() => void steps.refetch()} />}
          {steps.isPending && <Skeleton height={160} />}
          {steps.data && <Timeline steps={items} nowMs={steps.dataUpdatedAt} />}
          {steps.hasNextPage && (
            <Group>
              <Text c="dimmed">{t('notAll', { n: items.length })}</Text>
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
        </>
      )}
    </Page>
  )
}

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

function Facts({ turn }: { turn: Turn }) {
  const t = useText(turnText)
  const language = useLanguage()
  return (
    <>
      <Group gap="sm">
        <TurnStatusBadge status={turn.status} />
        <Code>{turn.id}</Code>
        {turn.conversation_id && (
          <Anchor renderRoot={linkTo(`/conversations/${turn.conversation_id}`)}>{t('openConversation')}</Anchor>
        )}
      </Group>
      {turn.error && (
        <Banner tone="bad" title={turn.error.code} role="alert">
          {turn.error.message}
        </Banner>
      )}
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
        <Fact label={t('agent')}>{turn.agent ?? t('noAgent')}</Fact>
        <Fact label={t('model')}>{turn.model || '–'}</Fact>
        <Fact label={t('started')}>
          <Time iso={turn.started_at} />
        </Fact>
        <Fact label={t('took')}>
          <Duration ms={turn.duration_ms} />
        </Fact>
        <Fact label={t('firstToken')}>
          <Duration ms={turn.time_to_first_token_ms} />
        </Fact>
        <Fact label={t('tokens')}>
          {turn.prompt_tokens?.toLocaleString(language) ?? '–'} /{' '}
          {turn.completion_tokens?.toLocaleString(language) ?? '–'}
        </Fact>
        <Fact label={t('origin')}>{t(`origin_${turn.origin}`)}</Fact>
        <Fact label={t('attempt')}>{Math.max(1, turn.attempt)}</Fact>
      </SimpleGrid>
      {turn.endpoints && <Endpoints asked={turn.endpoints} />}
    </>
  )
}

/** Which model endpoints were asked, in order. */
function Endpoints({ asked }: { asked: NonNullable<Turn['endpoints']> }) {
  const t = useText(turnText)
  const language = useLanguage()
  const lines = asked.map(({ endpoint, model, code, status, took_ms }) => {
    const outcome = code === null ? t('endpointAnswered') : [code, status].filter(Boolean).join(' ')
    return `${endpoint} (${model}): ${outcome}, ${durationText(took_ms, language)}`
  })
  return (
    <Fact label={t('endpoints')}>
      <span style={{ whiteSpace: 'pre-line' }}>{lines.join('\n')}</span>
    </Fact>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text component="div" style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </div>
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
      <Button size="sm" color="red" variant="light" loading={isBusy} onClick={() => submit()}>
        {t('cancel')}
      </Button>
      <ErrorPanel error={error} />
    </>
  )
}
