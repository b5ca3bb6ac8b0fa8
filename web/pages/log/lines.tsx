/** The visible lines: only those are in the document, and the view follows new lines only at the end. J K ↓ ↑ move between them. */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown } from 'lucide-react'
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { rowStepOf } from '../../parts/use-row-keys.ts'
import { useText } from '../../text/text.ts'
import { clock } from './clock.ts'
import type { Entry } from './entries.ts'
import { Line } from './line.tsx'
import styles from './log.module.css'
import { logText } from './text.ts'

interface LinesProps {
  entries: readonly Entry[]
  /** There are several. */
  hasNodes: boolean
  isAtEnd: boolean
  onAtEnd(isAtEnd: boolean): void
  onSearch(text: string): void
}

const lineHeight = { wide: 24, narrow: 42 }
/** This close to the end counts as the end. */
const nearPixels = 40
/** The list has scrolled to a line that a key went to. */
const stepMs = 200

export function Lines({ entries, hasNodes, isAtEnd, onAtEnd, onSearch }: LinesProps) {
  const t = useText(logText)
  const scroller = useRef<HTMLElement>(null)
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const current = useRef<string>(undefined)
  const steppedMs = useRef(Number.NEGATIVE_INFINITY)
  const virtual = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (innerWidth > 768 ? lineHeight.wide : lineHeight.narrow),
    overscan: 16,
    getItemKey: (index) => entries[index]?.key ?? index,
  })
  const height = virtual.getTotalSize()
  const newer = useNewer(entries, isAtEnd)
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever there is more, or a line unfolds
  useLayoutEffect(() => {
    if (isAtEnd) scroller.current?.scrollTo({ top: scroller.current.scrollHeight })
  }, [isAtEnd, entries, height])

  function scrolled(): void {
    // Who went to the last line by a key reads it.
    if (performance.now() - steppedMs.current < stepMs) return
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
  function press(event: KeyboardEvent): void {
    const step = rowStepOf(event)
    if (step === undefined) return
    event.preventDefault()
    const at = currentIndex(step)
    let next = at + step
    while (entries[next] && entries[next]?.is !== 'line') next += step
    const entry = entries[next]
    if (entry === undefined) return
    current.current = entry.key
    steppedMs.current = performance.now()
    onAtEnd(false)
    virtual.scrollToIndex(next)
    focusSoon(next)
  }
  /** Where the focus is, or was; else just outside of what can be seen. */
  function currentIndex(step: 1 | -1): number {
    const focused = document.activeElement?.closest<HTMLElement>('[data-index]')
    if (focused && scroller.current?.contains(focused)) return Number(focused.dataset['index'])
    const known = entries.findIndex(({ key }) => key === current.current)
    if (known >= 0) return known
    const { scrollTop = 0, clientHeight = 0 } = scroller.current ?? {}
    const seen = virtual
      .getVirtualItems()
      .filter(({ start, end }) => end > scrollTop && start < scrollTop + clientHeight)
    return step === 1 ? (seen[0]?.index ?? 0) - 1 : (seen.at(-1)?.index ?? entries.length - 1) + 1
  }
  /** The line may not be in the document yet. */
  function focusSoon(index: number, framesLeft = 10): void {
    const line = scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"] [data-line]`)
    if (line) line.focus({ preventScroll: true })
    else if (framesLeft > 0) requestAnimationFrame(() => focusSoon(index, framesLeft - 1))
  }
  function toNewest(): void {
    current.current = undefined
    steppedMs.current = Number.NEGATIVE_INFINITY
    // The button goes, and the focus is not lost with it.
    scroller.current?.focus({ preventScroll: true })
    onAtEnd(true)
  }
  return (
    <div className={styles['frame']}>
      <section
        ref={scroller}
        className={styles['scroller']}
        onScroll={scrolled}
        onKeyDown={press}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={t('title')}
      >
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
                data-open={open.has(entry.key) || undefined}
                className={styles['row']}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                {entry.is === 'line' && (
                  <Line
                    line={entry.line}
                    hasNode={hasNodes}
                    isOpen={open.has(entry.key)}
                    onToggle={() => toggle(entry.key)}
                    onSearch={onSearch}
                  />
                )}
                {entry.is === 'missed' && <Notice>{t('missed', { n: entry.lines })}</Notice>}
                {entry.is === 'started' && <Started node={entry.node} time={entry.time} />}
              </div>
            )
          })}
        </div>
      </section>
      {!isAtEnd && (
        <Button
          className={styles['toNewest'] ?? ''}
          size="xs"
          variant="default"
          leftSection={<ArrowDown size={14} aria-hidden />}
          onClick={toNewest}
        >
          {newer > 0 ? t('toNewestN', { n: newer }) : t('toNewest')}
        </Button>
      )}
    </div>
  )
}

/** How many came since the end was left; meanwhile nothing is dropped at the beginning. */
function useNewer(entries: readonly Entry[], isAtEnd: boolean): number {
  const left = useRef(entries.length)
  if (isAtEnd || entries.length < left.current) left.current = entries.length
  return entries.length - left.current
}

const Notice = ({ children }: { children: string }) => (
  <div className={styles['notice']}>
    <span>{children}</span>
  </div>
)

function Started({ node, time }: { node: number; time: string }) {
  const t = useText(logText)
  const { may } = useSession()
  const nodes = useQuery({
    queryKey: ['log', 'nodes', node],
    queryFn: ({ signal }) => call('GET /v1/admin/nodes', { signal }),
    enabled: may('nodes.read'),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const known = nodes.data?.items.find((one) => one.node === node)
  const at = clock(known?.started_at ?? time).slice(0, 8)
  return (
    <Notice>
      {known
        ? t('startedVersion', { id: String(node), at, version: known.version })
        : t('started', { id: String(node), at })}
    </Notice>
  )
}
