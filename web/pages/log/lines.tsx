/** The visible lines: only those are in the document, and the view follows new lines only at the end. */
import { Button } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown } from 'lucide-react'
import { useLayoutEffect, useRef, useState } from 'react'
import { useText } from '../../text/text.ts'
import type { Entry } from './entries.ts'
import { Line } from './line.tsx'
import styles from './log.module.css'
import { logText } from './text.ts'

interface LinesProps {
  entries: readonly Entry[]
  isAtEnd: boolean
  onAtEnd(isAtEnd: boolean): void
}

const lineHeight = { wide: 24, narrow: 42 }
/** This close to the end counts as the end. */
const nearPixels = 40

export function Lines({ entries, isAtEnd, onAtEnd }: LinesProps) {
  const t = useText(logText)
  const scroller = useRef<HTMLElement>(null)
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const virtual = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (innerWidth > 768 ? lineHeight.wide : lineHeight.narrow),
    overscan: 16,
    getItemKey: (index) => entries[index]?.key ?? index,
  })
  const height = virtual.getTotalSize()
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever there is more, or a line unfolds
  useLayoutEffect(() => {
    if (isAtEnd) scroller.current?.scrollTo({ top: scroller.current.scrollHeight })
  }, [isAtEnd, entries, height])

  function scrolled(): void {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = scroller.current ?? {}
    const isNow = scrollHeight - scrollTop - clientHeight < nearPixels
    if (isNow !== isAtEnd) onAtEnd(isNow)
  }
  function toggle(key: string): void {
    // An unfolded line is being read, so the view stops following.
    if (!open.has(key)) onAtEnd(false)
    setOpen(
      (before) => new Set(before.has(key) ? [...before].filter((one) => one !== key) : [...before, key].slice(-50)),
    )
  }
  return (
    <div className={styles['frame']}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section ref={scroller} className={styles['scroller']} onScroll={scrolled} tabIndex={0} aria-label={t('title')}>
        <div className={styles['rows']} style={{ height }}>
          {virtual.getVirtualItems().map((item) => {
            const entry = entries[item.index]
            if (!entry) return null
            return (
              <div
                key={item.key}
                ref={virtual.measureElement}
                data-index={item.index}
                data-level={entry.is === 'line' ? entry.line.level : undefined}
                className={styles['row']}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                {entry.is === 'line' ? (
                  <Line line={entry.line} isOpen={open.has(entry.key)} onToggle={() => toggle(entry.key)} />
                ) : (
                  <div className={styles['notice']}>
                    {entry.is === 'missed' ? t('missed', { n: entry.lines }) : t('started', { n: entry.node })}
                  </div>
                )}
              </div>
            )
          })}
        </div>
      </section>
      {!isAtEnd && (
        <Button
          className={styles['toNewest'] ?? ''}
          size="xs"
          leftSection={<ArrowDown size={14} aria-hidden />}
          onClick={() => onAtEnd(true)}
        >
          {t('toNewest')}
        </Button>
      )}
    </div>
  )
}
