/** Live log: followed at its end, still while the operator reads further up; the filters are in the address. */
import { Button, NativeSelect, SegmentedControl } from '@mantine/core'
import { Copy, Download, Pause, Play, Search, Terminal } from 'lucide-react'
import { useMemo, useState } from 'react'
import { CopyButton } from '../../parts/copy-button.tsx'
import { EmptyState, NothingFits } from '../../parts/empty-state.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { FilterBar } from '../../parts/filter-bar.tsx'
import { FilterInput } from '../../parts/filter-input.tsx'
import { useFilters } from '../../parts/filters.ts'
import { LoadingRows } from '../../parts/loading-rows.tsx'
import { Page } from '../../parts/page.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { State } from '../../parts/state.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { countLevels, type Entry, linesOf, nodesOf, textOf } from './entries.ts'
import { isFinal, type LogQuery } from './follow.ts'
import { Lines } from './lines.tsx'
import styles from './log.module.css'
import { logText } from './text.ts'
import { heldMax, type LogState, useLog } from './use-log.ts'
import { usePauseKey } from './use-pause-key.ts'

const byDefault = { level: 'all', q: '', every: 'live' }
const levels = ['all', 'debug', 'info', 'warn', 'error'] as const
const seconds = ['1', '2', '5', '15', '60'] as const

export default function LogPage() {
  const t = useText(logText)
  const c = useText(sharedText)
  const [filters, filter] = useFilters(byDefault)
  const [isPaused, setPaused] = useState(false)
  const [isAtEnd, setAtEnd] = useState(true)
  usePauseKey(() => setPaused(!isPaused))
  const level = levels.find((one) => one === filters.level) ?? 'all'
  const every = seconds.find((one) => one === filters.every) ?? 'live'
  const query: LogQuery = {
    level: level === 'all' ? 'trace' : level,
    search: filters.q,
    everyS: every === 'live' ? 0 : Number(every),
  }
  const log = useLog(query, isPaused, isAtEnd)
  const { entries } = log
  const counts = useMemo(() => countLevels(entries), [entries])
  const lines = useMemo(() => linesOf(entries), [entries])
  const nodes = useMemo(() => nodesOf(entries), [entries])
  const filterCount = (filters.q === '' ? 0 : 1) + (level === 'all' ? 0 : 1)
  return (
    <Page
      title={t('title')}
      about={t('about')}
      facts={nodes.size > 1 ? t('nodes', { n: nodes.size }) : undefined}
      actions={
        <>
          <StreamState log={log} isPaused={isPaused} isStream={query.everyS === 0} />
          <Button
            variant="default"
            leftSection={isPaused ? <Play size={15} aria-hidden /> : <Pause size={15} aria-hidden />}
            onClick={() => setPaused(!isPaused)}
          >
            {t(isPaused ? 'resume' : 'pause')}
          </Button>
          <ExportActions entries={entries} />
        </>
      }
    >
      <FilterBar
        search={
          <FilterInput
            aria-label={t('search')}
            placeholder={t('searchHint')}
            type="search"
            leftSection={<Search size={14} aria-hidden />}
            value={filters.q}
            onFilter={(q) => filter({ q })}
          />
        }
        end={<span className={styles['count']}>{t('lines', { n: lines })}</span>}
      >
        <SegmentedControl
          aria-label={t('level')}
          value={level}
          onChange={(value) => filter({ level: value })}
          data={levels.map((value) => ({
            value,
            label: <LevelWord level={value} count={value === 'warn' || value === 'error' ? counts[value] : 0} />,
          }))}
        />
        <NativeSelect
          aria-label={t('refresh')}
          value={every}
          onChange={(event) => filter({ every: event.currentTarget.value })}
          data={[
            { value: 'live', label: t('live') },
            ...seconds.map((value) => ({ value, label: t('everyS', { n: Number(value) }) })),
          ]}
        />
      </FilterBar>
      {log.error !== undefined && <ErrorPanel error={log.error} messages={{ log_not_kept: t('notKept') }} />}
      {entries.length > 0 && (
        <Lines
          entries={entries}
          hasNodes={nodes.size > 1}
          isAtEnd={isAtEnd}
          onAtEnd={setAtEnd}
          onSearch={(q) => filter({ q })}
        />
      )}
      {entries.length === 0 &&
        log.isCaughtUp &&
        (filterCount > 0 ? (
          <NothingFits title={t('nothingFits')} filters={filterCount} onClear={() => filter({ level: 'all', q: '' })} />
        ) : (
          <EmptyState icon={Terminal} title={t('empty')}>
            {t('emptyWhy')}
          </EmptyState>
        ))}
      {entries.length === 0 && !log.isCaughtUp && log.error === undefined && <LoadingRows label={c('loading')} />}
    </Page>
  )
}

/** The word of the log itself, with what it means on hover, and how many of the loaded lines have it. */
function LevelWord({ level, count }: { level: (typeof levels)[number]; count: number }) {
  const t = useText(logText)
  return (
    <span title={t(level)}>
      {level === 'all' ? t('allShort') : level}
      {count > 0 && (
        <b className={styles['levelCount']} data-level={level}>
          {count}
        </b>
      )}
    </span>
  )
}

function StreamState({ log, isPaused, isStream }: { log: LogState; isPaused: boolean; isStream: boolean }) {
  const t = useText(logText)
  const waiting = useMemo(() => linesOf(log.held), [log.held])
  if (log.error !== undefined)
    return isFinal(log.error) ? null : (
      <span role="status">
        <State state="failed">{t('isBroken')}</State>
      </span>
    )
  if (isPaused)
    return (
      <State state="paused">
        {t('isPaused')}
        {waiting > 0 && ` · ${t(log.held.length >= heldMax ? 'waitingMost' : 'waiting', { n: waiting })}`}
      </State>
    )
  if (log.isFull) return <State state="paused">{t('isFull')}</State>
  return <State state="running">{t(isStream ? 'isLive' : 'isPolling')}</State>
}

/** Copies or downloads all loaded lines, also those outside the view. */
function ExportActions({ entries }: { entries: readonly Entry[] }) {
  const t = useText(logText)
  const isNothing = useMemo(() => !entries.some(({ is }) => is === 'line'), [entries])
  function download(): void {
    const name = `service-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.ndjson`
    saveFile(name, new Blob([textOf(entries)], { type: 'application/x-ndjson' }))
  }
  return (
    <>
      <CopyButton
        size="sm"
        disabled={isNothing}
        leftSection={<Copy size={14} aria-hidden />}
        text={() => textOf(entries)}
      >
        {t('copy')}
      </CopyButton>
      <Button
        variant="default"
        disabled={isNothing}
        leftSection={<Download size={14} aria-hidden />}
        onClick={download}
      >
        {t('download')}
      </Button>
    </>
  )
}
