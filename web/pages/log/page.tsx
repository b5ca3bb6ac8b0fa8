/** Live log: followed at its end, still while the operator reads further up; the filters are in the address. */
import { Button, Center, Group, NativeSelect, Skeleton, Text } from '@mantine/core'
import { Copy, Download, Pause, Play } from 'lucide-react'
import { useMemo, useState } from 'react'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { FilterInput } from '../../parts/filter-input.tsx'
import { useFilters } from '../../parts/filters.ts'
import { Page } from '../../parts/page.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { type Entry, textOf } from './entries.ts'
import { isFinal, type LogQuery } from './follow.ts'
import { Lines } from './lines.tsx'
import { logText } from './text.ts'
import { type LogState, useLog } from './use-log.ts'

const byDefault = { level: 'all', q: '', every: 'live' }
const levels = ['all', 'error', 'warn', 'info', 'debug'] as const
const seconds = ['1', '2', '5', '15', '60'] as const

export default function LogPage() {
  const t = useText(logText)
  const c = useText(sharedText)
  const [filters, filter] = useFilters(byDefault)
  const [isPaused, setPaused] = useState(false)
  const [isAtEnd, setAtEnd] = useState(true)
  const level = levels.find((one) => one === filters.level) ?? 'all'
  const every = seconds.find((one) => one === filters.every) ?? 'live'
  const query: LogQuery = {
    level: level === 'all' ? 'trace' : level,
    search: filters.q,
    everyS: every === 'live' ? 0 : Number(every),
  }
  const log = useLog(query, isPaused, isAtEnd)
  return (
    <Page title={t('title')} about={t('about')} actions={<ExportActions entries={log.entries} />}>
      <Group gap="sm" align="flex-end">
        <NativeSelect
          label={t('level')}
          flex="1 1 140px"
          maw={240}
          value={level}
          onChange={(event) => filter({ level: event.currentTarget.value })}
          data={levels.map((value) => ({ value, label: t(value) }))}
        />
        <NativeSelect
          label={t('refresh')}
          flex="1 1 140px"
          maw={240}
          value={every}
          onChange={(event) => filter({ every: event.currentTarget.value })}
          data={[
            { value: 'live', label: t('live') },
            ...seconds.map((value) => ({ value, label: t('everyS', { n: Number(value) }) })),
          ]}
        />
        <FilterInput label={t('search')} value={filters.q} onFilter={(q) => filter({ q })} flex="1 1 180px" />
        <Button
          variant="default"
          leftSection={isPaused ? <Play size={15} aria-hidden /> : <Pause size={15} aria-hidden />}
          onClick={() => setPaused(!isPaused)}
        >
          {t(isPaused ? 'resume' : 'pause')}
        </Button>
      </Group>
      <Group gap="sm">
        <StreamState log={log} isPaused={isPaused} isStream={query.everyS === 0} />
        <Text size="sm" c="dimmed">
          {t('lines', { n: log.entries.length })}
        </Text>
      </Group>
      {log.error !== undefined && <ErrorPanel error={log.error} messages={{ log_not_kept: t('notKept') }} />}
      {log.entries.length > 0 && <Lines entries={log.entries} isAtEnd={isAtEnd} onAtEnd={setAtEnd} />}
      {log.entries.length === 0 && log.isCaughtUp && (
        <Center mih={160}>
          <Text c="dimmed">{filters.q !== '' || level !== 'all' ? c('nothingFound') : t('empty')}</Text>
        </Center>
      )}
      {log.entries.length === 0 && !log.isCaughtUp && log.error === undefined && <Skeleton height={260} />}
    </Page>
  )
}

function StreamState({ log, isPaused, isStream }: { log: LogState; isPaused: boolean; isStream: boolean }) {
  const t = useText(logText)
  if (isPaused) return <StatusBadge tone="warn">{t('isPaused')}</StatusBadge>
  if (log.error !== undefined) return isFinal(log.error) ? null : <StatusBadge tone="bad">{t('isBroken')}</StatusBadge>
  if (log.isFull) return <StatusBadge tone="warn">{t('isFull')}</StatusBadge>
  return <StatusBadge tone="good">{t(isStream ? 'isLive' : 'isPolling')}</StatusBadge>
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
        size="xs"
        disabled={isNothing}
        leftSection={<Copy size={14} aria-hidden />}
        text={() => textOf(entries)}
      >
        {t('copy')}
      </CopyButton>
      <Button
        variant="default"
        size="xs"
        disabled={isNothing}
        leftSection={<Download size={14} aria-hidden />}
        onClick={download}
      >
        {t('download')}
      </Button>
    </>
  )
}
