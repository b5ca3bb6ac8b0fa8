/** Actors: the supervision tree by kind, the actors of a kind, and the pools. */
import { Button, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useFilters } from '../../parts/filters.ts'
import { numberText } from '../../parts/format.ts'
import { LoadingRows } from '../../parts/loading-rows.tsx'
import { Page } from '../../parts/page.tsx'
import { Stat, StatStrip } from '../../parts/stat-strip.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useLanguage, useText } from '../../text/text.ts'
import type { Actors } from './actors.ts'
import { ActorsOfKind } from './actors-of-kind.tsx'
import { Kinds } from './kinds.tsx'
import { Pools } from './pools.tsx'
import { actorsText } from './text.ts'

const byDefault = { kind: '', every: '2', node: '' }
const seconds = ['1', '2', '5', '15'] as const

export default function ActorsPage() {
  const t = useText(actorsText)
  const c = useText(sharedText)
  const [filters, filter] = useFilters(byDefault)
  const everyMs = seconds.some((one) => one === filters.every) ? Number(filters.every) * 1_000 : undefined
  const node = /^\d+$/.test(filters.node) ? Number(filters.node) : undefined
  const actors = useQuery({
    queryKey: ['actors', node],
    queryFn: ({ signal }) => call('GET /v1/admin/actors', { query: { ...(node !== undefined && { node }) }, signal }),
    refetchInterval: everyMs ?? false,
  })
  const { data } = actors
  return (
    <Page
      title={t('title')}
      about={t('about')}
      actions={
        <>
          <NodeChoice value={filters.node} onChoose={(chosen) => filter({ node: chosen })} />
          <NativeSelect
            aria-label={t('interval')}
            value={everyMs === undefined ? 'manual' : filters.every}
            onChange={(event) => filter({ every: event.currentTarget.value })}
            data={[
              ...seconds.map((value) => ({ value: `${value}`, label: t('everyS', { n: Number(value) }) })),
              { value: 'manual', label: t('manual') },
            ]}
          />
          <Button
            variant="default"
            leftSection={<RefreshCw size={15} aria-hidden />}
            onClick={() => void actors.refetch()}
          >
            {c('refresh')}
          </Button>
        </>
      }
    >
      {actors.isError && <ErrorPanel error={actors.error} onRetry={() => void actors.refetch()} />}
      {!data && actors.isPending && <LoadingRows label={c('loading')} />}
      {data && (
        <>
          <Totals actors={data} />
          <Kinds kinds={data.kinds} chosen={filters.kind} onChoose={(kind) => filter({ kind })} />
          {filters.kind !== '' && (
            <ActorsOfKind {...{ kind: filters.kind, node, refetchMs: everyMs }} onClose={() => filter({ kind: '' })} />
          )}
          <Pools pools={data.pools} />
        </>
      )}
    </Page>
  )
}

/** Only where there is a choice. A node that has gone stays chosen, and the page says that it does not live. */
function NodeChoice({ value, onChoose }: { value: string; onChoose(node: string): void }) {
  const t = useText(actorsText)
  const { may } = useSession()
  const { data } = useQuery({
    queryKey: ['nodes', 'living'],
    queryFn: ({ signal }) => call('GET /v1/admin/nodes', { signal }),
    enabled: may('nodes.read'),
  })
  const living = data?.items.filter(({ state }) => state === 'running' || state === 'draining') ?? []
  if (living.length < 2 && value === '') return null
  const others = living.filter(({ node }) => node !== data?.this_node).map(({ node }) => String(node))
  const numbers = value === '' || others.includes(value) ? others : [...others, value]
  return (
    <NativeSelect
      aria-label={t('node')}
      value={value}
      onChange={(event) => onChoose(event.currentTarget.value)}
      data={[
        { value: '', label: t('nodeHere', { n: data?.this_node ?? '–' }) },
        ...numbers.map((number) => ({ value: number, label: t('nodeOf', { n: number }) })),
      ]}
    />
  )
}

const totals = ['crashes', 'restarts', 'escalations', 'mailbox_full', 'dead_letters', 'passivations'] as const
/** Even one of these needs attention. */
const serious = new Set<string>(['crashes', 'escalations', 'mailbox_full'])

function Totals({ actors }: { actors: Actors }) {
  const t = useText(actorsText)
  const language = useLanguage()
  return (
    <StatStrip label={t('actors')}>
      <Stat label={t('live')} figure={numberText(actors.live, language)} />
      {totals.map((name) => {
        const value = actors.totals[name] ?? 0
        return (
          <Stat
            key={name}
            label={t(name)}
            figure={numberText(value, language)}
            change={t('sinceStart')}
            trend={serious.has(name) && value > 0 ? 'worse' : undefined}
          />
        )
      })}
    </StatStrip>
  )
}
