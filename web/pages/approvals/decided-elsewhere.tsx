/** What was on the page and was decided by somebody else, or by time: said, so that nobody wonders where it went. */
import { Button } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useEvents, useRefreshOn } from '../../api/feed.ts'
import { Banner } from '../../parts/banner.tsx'
import { useText } from '../../text/text.ts'
import type { Approval } from './approval-card.tsx'
import { approvalsKey } from './approvals-key.ts'
import styles from './inbox.module.css'
import type { InboxItem } from './inbox-item.ts'
import { ownDecisions } from './own-decisions.ts'
import { approvalsText } from './text.ts'

interface Decided {
  item: InboxItem
  status: Exclude<Approval['status'], 'pending'>
}

const rememberedMax = 5

export function DecidedElsewhere({ items }: { items: readonly InboxItem[] }) {
  const t = useText(approvalsText)
  const visible = useRef(items)
  const [decided, setDecided] = useState<Decided[]>([])
  useEffect(() => {
    visible.current = items
  }, [items])
  useRefreshOn(['approval.decided'], approvalsKey)
  useEvents(['approval.decided'], ({ approval_id: id, status }) => {
    const item = visible.current.find((one) => one.id === id)
    if (!item || ownDecisions.has(item.id)) return
    setDecided((before) => [
      ...before.filter((one) => one.item.id !== id).slice(1 - rememberedMax),
      { item, status: status as Decided['status'] },
    ])
  })
  const newest = decided.at(-1)
  return (
    <div role="status" className={styles['news']}>
      {newest && (
        <Banner
          tone="warn"
          title={t('decidedElsewhere', {
            tool: newest.item.tool,
            agent: newest.item.agent ?? '–',
            status: t(newest.status),
          })}
          actions={
            <Button size="xs" variant="default" onClick={() => setDecided([])}>
              {t('dismiss')}
            </Button>
          }
        >
          {decided.length > 1 && t('othersToo', { n: decided.length - 1 })}
        </Banner>
      )}
    </div>
  )
}
