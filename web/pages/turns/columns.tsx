/** The columns of the list of turns. */
import { useMemo } from 'react'
import type { Column } from '../../parts/data-table.tsx'
import { moneyText, shortNumberText } from '../../parts/format.ts'
import { PageLink } from '../../parts/link-to.tsx'
import { Duration, Time } from '../../parts/time.tsx'
import { useTurnErrorText } from '../../parts/turn-error.ts'
import { turnOriginText } from '../../parts/turn-origin.ts'
import { TurnStatusBadge } from '../../parts/turn-status.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useLanguage, useText } from '../../text/text.ts'
import type { TurnRow } from './filters.ts'
import { turnsText } from './text.ts'
import styles from './turns.module.css'

/** The columns that show until somebody chooses. */
export const shownByDefault = ['started', 'status', 'input', 'agent', 'duration', 'first_token', 'tokens', 'cost']

/** The columns that can be sorted by have the name of the order. */
export function useColumns(): Column<TurnRow>[] {
  const t = useText(turnsText)
  const c = useText(sharedText)
  const o = useText(turnOriginText)
  const language = useLanguage()
  const errorText = useTurnErrorText()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the texts change with the language alone
  return useMemo(
    () => [
      {
        key: 'started',
        title: t('started'),
        width: '104px',
        isSortable: true,
        phone: 'line',
        cell: (row) => <Time iso={row.started_at} />,
      },
      {
        key: 'status',
        title: c('status'),
        width: '124px',
        phone: 'line',
        cell: (row) => <TurnStatusBadge status={row.status} />,
      },
      {
        key: 'input',
        title: t('input'),
        width: 'minmax(150px, 4fr)',
        isMain: true,
        phone: 'title',
        cell: (row) => {
          const missing = t(row.conversation_id === null ? 'notStored' : 'noBeginning')
          return (
            <PageLink path={`/turns/${row.id}`} className={styles['input'] ?? ''} title={row.input ?? missing}>
              {row.input ?? <i>{missing}</i>}
            </PageLink>
          )
        },
      },
      {
        key: 'output',
        title: t('output'),
        width: 'minmax(120px, 2fr)',
        isExtra: true,
        cell: (row) => <span title={row.output ?? ''}>{row.output ?? '–'}</span>,
      },
      {
        key: 'agent',
        title: t('agent'),
        width: 'minmax(70px, 1fr)',
        isExtra: true,
        // Without an agent the model answers by itself.
        cell: (row) => (
          <span title={row.agent ?? row.model}>
            {row.agent ?? <i className={styles['model']}>{row.model || '–'}</i>}
          </span>
        ),
      },
      {
        key: 'model',
        title: t('model'),
        width: 'minmax(80px, 1.2fr)',
        phone: 'none',
        cell: (row) => <span title={row.model}>{row.model || '–'}</span>,
      },
      {
        key: 'origin',
        title: t('origin'),
        width: 'minmax(80px, 110px)',
        isExtra: true,
        cell: (row) => (row.channel === null ? o(row.origin) : <span title={o(row.origin)}>{row.channel}</span>),
      },
      {
        key: 'key',
        title: t('key'),
        width: 'minmax(70px, 110px)',
        isExtra: true,
        cell: (row) => row.api_key?.name ?? '–',
      },
      {
        key: 'error',
        title: t('error'),
        width: 'minmax(120px, 1.4fr)',
        isExtra: true,
        cell: (row) =>
          row.error ? <span title={`${row.error.code}: ${row.error.message}`}>{errorText(row.error.code)}</span> : '–',
      },
      {
        key: 'duration',
        title: t('duration'),
        width: '72px',
        isNumber: true,
        isSortable: true,
        phone: 'end',
        cell: (row) => <Duration ms={row.duration_ms} />,
      },
      {
        key: 'first_token',
        title: t('firstToken'),
        width: '88px',
        isNumber: true,
        isSortable: true,
        isExtra: true,
        cell: (row) => <Duration ms={row.time_to_first_token_ms} />,
      },
      {
        key: 'tokens',
        title: t('tokens'),
        width: '96px',
        isNumber: true,
        isSortable: true,
        isExtra: true,
        cell: (row) =>
          `${shortNumberText(row.prompt_tokens, language)} / ${shortNumberText(row.completion_tokens, language)}`,
      },
      {
        key: 'cost',
        title: t('cost'),
        width: '80px',
        isNumber: true,
        isSortable: true,
        phone: 'aside',
        cell: (row) => (row.cost ? moneyText(Number(row.cost.micro_units), row.cost.currency, language) : '–'),
      },
    ],
    [language],
  )
}
