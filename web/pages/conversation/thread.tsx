/** The messages, newest at the bottom: only visible ones are in the document, older ones load on scrolling up. */
import { Button, Center, Loader, Skeleton, Text } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useText } from '../../text/text.ts'
import type { Delivery, Turn } from './about-messages.ts'
import styles from './conversation.module.css'
import type { LiveAnswer } from './live-answer.ts'
import { MessageRow, Writing } from './message.tsx'
import { conversationText } from './text.ts'
import type { Message, Thread } from './thread-state.ts'

interface ThreadProps {
  thread: Thread
  turns: ReadonlyMap<string, Turn>
  deliveries: ReadonlyMap<string, Delivery>
  live: LiveAnswer | undefined
  /** The connection of `live` is lost at the moment. */
  isLost: boolean
  /** The customer, by the channel's id. */
  sender: string | null
  contextAfterSeq: number
  actionsOf(message: Message): ReactNode
}

/** This close to the end the view follows new messages. */
const endPx = 80
/** This close to the first loaded message older ones are loaded. */
const olderWithin = 5

export function ThreadView({
  thread,
  turns,
  deliveries,
  live,
  isLost,
  sender,
  contextAfterSeq,
  actionsOf,
}: ThreadProps) {
  const t = useText(conversationText)
  const { messages, olderError, loadOlder } = thread
  const isWriting = live !== undefined
  const { scroller, virtual, isAtEnd } = useVisibleMessages(thread, isWriting)
  const isFilled = messages.length > 0

  if (thread.isLoading) return <Skeleton height={320} />
  if (!isFilled && thread.error !== undefined)
    return <ErrorPanel error={thread.error} onRetry={() => void thread.refresh()} />
  if (!isFilled && !isWriting)
    return (
      <Center mih={160}>
        <Text c="dimmed">{t('empty')}</Text>
      </Center>
    )
  const lastOfTurn = new Map(messages.map((message) => [message.turn_id, message.id]))
  return (
    <>
      <ErrorPanel error={thread.error} onRetry={() => void thread.refresh()} />
      <ErrorPanel error={olderError} onRetry={loadOlder} />
      <div className={styles['frame']}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
        <section ref={scroller} className={styles['scroller']} tabIndex={0} aria-label={t('messages')}>
          <ThreadStart thread={thread} />
          <div className={styles['rows']} style={{ height: virtual.getTotalSize() }}>
            {virtual.getVirtualItems().map((item) => {
              const message = messages[item.index]
              return (
                <div
                  key={item.key}
                  className={styles['row']}
                  style={{ transform: `translateY(${item.start}px)` }}
                  ref={virtual.measureElement}
                  data-index={item.index}
                >
                  {message ? (
                    <MessageRow
                      message={message}
                      turn={lastOfTurn.get(message.turn_id) === message.id ? turns.get(message.turn_id) : undefined}
                      agent={turns.get(message.turn_id)?.agent ?? null}
                      sender={sender}
                      operator={operatorOf(message, turns)}
                      delivery={deliveries.get(message.id)}
                      isContextEnd={contextAfterSeq > 0 && message.seq === contextAfterSeq}
                      actions={actionsOf(message)}
                    />
                  ) : (
                    live && <Writing live={live} isLost={isLost} />
                  )}
                </div>
              )
            })}
          </div>
        </section>
        {!isAtEnd && (
          <Button
            className={styles['newest'] ?? ''}
            size="xs"
            variant="default"
            leftSection={<ArrowDown size={14} aria-hidden />}
            onClick={() => virtual.scrollToEnd({ behavior: 'auto' })}
          >
            {t('toNewest')}
          </Button>
        )}
      </div>
    </>
  )
}

/** The messages on the screen: older ones are loaded near the first, and the view follows new ones at the end. */
function useVisibleMessages({ messages, hasOlder, isLoadingOlder, olderError, loadOlder }: Thread, isWriting: boolean) {
  const scroller = useRef<HTMLElement>(null)
  const [isAtEnd, setAtEnd] = useState(true)
  const virtual = useVirtualizer({
    count: messages.length + (isWriting ? 1 : 0),
    getScrollElement: () => scroller.current,
    estimateSize: () => 110,
    overscan: 6,
    getItemKey: (index) => messages[index]?.id ?? 'live',
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: endPx,
    onChange: (instance) => setAtEnd(instance.isAtEnd(endPx)),
  })
  const firstVisible = virtual.getVirtualItems()[0]?.index ?? Number.POSITIVE_INFINITY
  useEffect(() => {
    if (firstVisible <= olderWithin && hasOlder && !isLoadingOlder && olderError === undefined) loadOlder()
  }, [firstVisible, hasOlder, isLoadingOlder, olderError, loadOlder])
  const isFilled = messages.length > 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the first messages are there
  useEffect(() => {
    if (isFilled) virtual.scrollToEnd({ behavior: 'auto' })
  }, [isFilled])
  return { scroller, virtual, isAtEnd }
}

function ThreadStart({ thread: { hasOlder, isLoadingOlder } }: { thread: Thread }) {
  const t = useText(conversationText)
  return (
    <Center py={4} mih={28}>
      {isLoadingOlder && <Loader size="xs" aria-label={t('older')} />}
      {!isLoadingOlder && !hasOlder && (
        <Text size="sm" c="dimmed">
          {t('begin')}
        </Text>
      )}
    </Center>
  )
}

/** Who wrote it where an operator did, and not the user. */
function operatorOf({ role, turn_id }: Message, turns: ReadonlyMap<string, Turn>): string | null {
  const turn = turns.get(turn_id)
  return role === 'user' && turn?.origin === 'admin' ? (turn.operator ?? '') : null
}
