/** The inbox: what waits for a person, by kind, live, each with what is needed to decide it; and what was decided. */

import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ArrowLeft, CircleCheckBig } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { call } from '../../api/call.ts'
import { useIsPhone } from '../../app/screen.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useFilters } from '../../parts/filters.ts'
import { LoadingRows } from '../../parts/loading-rows.tsx'
import { Page } from '../../parts/page.tsx'
import { TabButton, TabRow } from '../../parts/tab-row.tsx'
import { inboxKey, waitingRefetchMs } from '../../parts/waiting.ts'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { DecidedElsewhere } from './decided-elsewhere.tsx'
import { History } from './history.tsx'
import styles from './inbox.module.css'
import type { InboxItem } from './inbox-item.ts'
import { ItemDetails } from './item-details.tsx'
import { ItemList } from './item-list.tsx'
import { NotifyButton } from './notify-button.tsx'
import { approvalsText } from './text.ts'

const listKey = [...inboxKey, 'list'] as const
const shownMax = 100
const byDefault = { tab: '', item: '' }

/** Its events are those of the count in the menu, which is always there. */
function useInbox() {
  return useQuery({
    queryKey: listKey,
    queryFn: ({ signal }) => call('GET /v1/admin/inbox', { query: { limit: shownMax }, signal }),
    refetchInterval: waitingRefetchMs,
  })
}

export default function ApprovalsPage() {
  const t = useText(approvalsText)
  const [{ tab }, filter] = useFilters(byDefault)
  const inbox = useInbox()
  const isDecided = tab === 'decided'
  return (
    <Page
      title={t('title')}
      about={t('about')}
      actions={<NotifyButton />}
      tabs={
        <TabRow label={t('title')}>
          <TabButton
            isChosen={!isDecided}
            count={inbox.data?.total ?? 0}
            tone="wait"
            onChoose={() => filter({ tab: '', item: '' })}
          >
            {t('waiting')}
          </TabButton>
          <TabButton isChosen={isDecided} onChoose={() => filter({ tab: 'decided', item: '' })}>
            {t('history')}
          </TabButton>
        </TabRow>
      }
    >
      <DecidedElsewhere items={inbox.data?.items ?? []} />
      {isDecided ? <History /> : <Waiting inbox={inbox} />}
    </Page>
  )
}

function Waiting({ inbox }: { inbox: ReturnType<typeof useInbox> }) {
  const t = useText(approvalsText)
  const c = useText(sharedText)
  const queries = useQueryClient()
  const isPhone = useIsPhone()
  const [{ item: openId }, filter] = useFilters(byDefault)
  const decidedBefore = useRef('')
  const { data } = inbox
  const items = data?.items ?? []
  const at = items.findIndex(({ id }) => id === openId)
  const open = items[at]
  const first = items[0]?.id
  // It stays in the address, so that what is decided never changes under a finger because the list does.
  useEffect(() => {
    if (!isPhone && openId === '' && first !== undefined) filter({ item: first })
  }, [isPhone, openId, first, filter])

  function show(id: string): void {
    decidedBefore.current = ''
    filter({ item: id })
  }
  function decided({ id, kind }: InboxItem): void {
    const next = items[at + 1] ?? items[at - 1]
    // With nothing behind it, what comes later takes no focus from anybody.
    decidedBefore.current = next ? id : ''
    queries.setQueryData<typeof data>(
      listKey,
      (before) =>
        before && {
          total: before.total - 1,
          kinds: before.kinds.map((one) => (one.kind === kind ? { ...one, count: one.count - 1 } : one)),
          items: before.items.filter((one) => one.id !== id),
        },
    )
    filter({ item: isPhone ? '' : (next?.id ?? '') })
    if (isPhone || !next) document.getElementById('content')?.focus()
  }

  const error = inbox.isError && <ErrorPanel error={inbox.error} onRetry={() => void inbox.refetch()} />
  if (!data) return error || <LoadingRows label={c('loading')} />
  const isGone = openId !== '' && !open
  if (items.length === 0 && !isGone)
    return (
      <>
        {error}
        <EmptyState
          icon={CircleCheckBig}
          title={t('noneWaiting')}
          actions={
            <Button variant="default" onClick={() => filter({ tab: 'decided', item: '' })}>
              {t('toDecided')}
            </Button>
          }
        >
          {t('noneWaitingNext')}
        </EmptyState>
      </>
    )
  return (
    <>
      {error}
      <div className={styles['split']} data-open={openId !== '' || undefined} data-stale={inbox.isError || undefined}>
        <ItemList items={items} kinds={data.kinds} openId={openId} onOpen={show} />
        <div className={styles['pane']}>
          {openId !== '' && isPhone && (
            <button type="button" className={styles['back']} onClick={() => filter({ item: '' })}>
              <ArrowLeft size={16} aria-hidden /> {t('allWaiting')}
            </button>
          )}
          {open && (
            <ItemDetails
              key={open.id}
              item={open}
              isNext={decidedBefore.current !== '' && decidedBefore.current !== open.id}
              onDecided={() => decided(open)}
            />
          )}
          {isGone && (
            <EmptyState
              title={t('gone')}
              actions={
                <Button variant="default" onClick={() => filter({ tab: 'decided', item: '' })}>
                  {t('toDecided')}
                </Button>
              }
            >
              {t('goneWhy')}
            </EmptyState>
          )}
        </div>
      </div>
    </>
  )
}
