/** A list with facets, filters, columns to choose, a bulk bar and a pane. */
import { Button, TextInput } from '@mantine/core'
import { Search } from 'lucide-react'
import { useMemo, useState } from 'react'
import { BulkBar } from '../../parts/bulk-bar.tsx'
import { Card } from '../../parts/card.tsx'
import { useColumnChoice } from '../../parts/column-choice.tsx'
import { type Column, DataTable, useChoice } from '../../parts/data-table.tsx'
import { DetailPane, ListWithPane } from '../../parts/detail-pane.tsx'
import { Facet, Facets, ListWithFacets } from '../../parts/facets.tsx'
import { AddFilter, FilterBar, FilterChip } from '../../parts/filter-bar.tsx'
import { moneyText } from '../../parts/format.ts'
import { KeyValue } from '../../parts/key-value.tsx'
import { State, type StateName } from '../../parts/state.tsx'
import { Duration } from '../../parts/time.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import { componentsText } from './text.ts'

interface Sample {
  id: string
  state: StateName
  input: string
  agent: string
  latencyMs: number
  micros: number
}

const states: readonly StateName[] = ['healthy', 'running', 'waiting', 'failed', 'cancelled']
const samples: readonly Sample[] = Array.from({ length: 12 }, (_, at) => ({
  id: `row-${at}`,
  state: states[at % states.length] ?? 'healthy',
  input: `Where is my order ${88_200 + at}?`,
  agent: at % 3 === 0 ? 'billing' : 'support',
  latencyMs: 380 + at * 310,
  micros: 200 + at * 1_900,
}))

export default function DataParts() {
  const t = useText(componentsText)
  const language = useLanguage()
  const [chosenStates, setChosenStates] = useState<ReadonlySet<string>>(new Set())
  const [open, setOpen] = useState<Sample>()
  const [sort, setSort] = useState({ key: 'cost', isDescending: true })
  const choice = useChoice()
  const word = (state: StateName) => t(state as 'healthy')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the texts change with the language alone
  const columns = useMemo<Column<Sample>[]>(
    () => [
      {
        key: 'status',
        title: t('status'),
        width: '120px',
        cell: ({ state }) => <State state={state}>{word(state)}</State>,
        phone: 'line',
      },
      {
        key: 'input',
        title: t('input'),
        width: 'minmax(160px, 2fr)',
        isMain: true,
        phone: 'title',
        cell: ({ input }) => input,
      },
      { key: 'agent', title: t('agent'), width: 'minmax(80px, 1fr)', isExtra: true, cell: ({ agent }) => agent },
      {
        key: 'latency',
        title: t('latency'),
        width: '90px',
        isNumber: true,
        isSortable: true,
        phone: 'end',
        cell: ({ latencyMs }) => <Duration ms={latencyMs} />,
      },
      {
        key: 'cost',
        title: t('cost'),
        width: '80px',
        isNumber: true,
        isSortable: true,
        phone: 'aside',
        cell: ({ micros }) => moneyText(micros, 'USD', language),
      },
    ],
    [language],
  )
  const { columns: shown, button } = useColumnChoice('components', columns)
  const sorted = samples
    .filter(({ state }) => chosenStates.size === 0 || chosenStates.has(state))
    .toSorted((a, b) => {
      const by = sort.key === 'cost' ? a.micros - b.micros : a.latencyMs - b.latencyMs
      return sort.isDescending ? -by : by
    })
  function toggle(value: string): void {
    const next = new Set(chosenStates)
    if (!next.delete(value)) next.add(value)
    setChosenStates(next)
  }
  return (
    <Card title={t('list')}>
      <ListWithPane
        pane={
          open && (
            <DetailPane title={open.input} label={open.input} onClose={() => setOpen(undefined)}>
              <KeyValue
                rows={[
                  [
                    t('status'),
                    <State key="status" state={open.state}>
                      {word(open.state)}
                    </State>,
                  ],
                  [t('agent'), open.agent],
                ]}
              />
            </DetailPane>
          )
        }
      >
        <ListWithFacets
          facets={
            <Facets label={t('status')}>
              <Facet
                title={t('status')}
                values={states.map((state) => ({
                  value: state,
                  label: word(state),
                  count: samples.filter((one) => one.state === state).length,
                }))}
                chosen={chosenStates}
                onToggle={toggle}
              />
            </Facets>
          }
        >
          <FilterBar
            search={<TextInput type="search" aria-label={t('input')} leftSection={<Search size={14} aria-hidden />} />}
            end={button}
          >
            {[...chosenStates].map((state) => (
              <FilterChip
                key={state}
                name={t('status')}
                value={word(state as StateName)}
                onClear={() => toggle(state)}
              />
            ))}
            <AddFilter>
              {(close) =>
                states.map((state) => (
                  <Button
                    key={state}
                    size="xs"
                    variant="subtle"
                    onClick={() => {
                      toggle(state)
                      close()
                    }}
                  >
                    {word(state)}
                  </Button>
                ))
              }
            </AddFilter>
          </FilterBar>
          <DataTable<Sample>
            label={t('turns')}
            queryKey={['components', [...chosenStates], sort]}
            load={async () => ({ rows: sorted, next: null })}
            rowKey={({ id }) => id}
            columns={shown}
            onOpen={setOpen}
            openKey={open?.id}
            choice={choice}
            sorting={{ ...sort, onSort: (key, isDescending) => setSort({ key, isDescending }) }}
            total={{ n: 2_486, isLeast: false }}
            empty={t('noTurn')}
          />
        </ListWithFacets>
      </ListWithPane>
      <BulkBar count={choice.chosen.size} onClear={() => choice.set([])}>
        <button type="button">{t('runAgain')}</button>
        <button type="button">{t('remove')}</button>
      </BulkBar>
    </Card>
  )
}
