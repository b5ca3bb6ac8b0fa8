/** The columns of the audit log. */
import { useMemo } from 'react'
import type { Column } from '../../parts/data-table.tsx'
import { Time } from '../../parts/time.tsx'
import { type Translate, useLanguage, useText } from '../../text/text.ts'
import { actionText, actionWords } from './action-text.ts'
import type { Entry } from './audit-entry.ts'
import { fieldChanges } from './field-changes.ts'
import { Actor, targetName } from './names.tsx'
import { auditText } from './text.ts'

/** Beside an open entry there is room for these. */
export const shownBeside = ['at', 'actor', 'what', 'target']

export function useColumns(): Column<Entry>[] {
  const t = useText(auditText)
  const words = useText(actionText)
  const language = useLanguage()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the texts change with the language alone
  return useMemo(
    () => [
      { key: 'at', title: t('at'), width: '104px', phone: 'aside', cell: (row) => <Time iso={row.at} /> },
      {
        key: 'actor',
        title: t('actor'),
        width: 'minmax(80px, 1fr)',
        phone: 'line',
        cell: (row) => <Actor entry={row} />,
      },
      {
        key: 'what',
        title: t('what'),
        width: 'minmax(150px, 2fr)',
        isMain: true,
        phone: 'title',
        cell: (row) => <span title={row.action}>{actionWords(words, row.action)}</span>,
      },
      {
        key: 'target',
        title: t('target'),
        width: 'minmax(110px, 2fr)',
        phone: 'line',
        cell: (row) => <span title={row.target ?? ''}>{targetName(row, language)}</span>,
      },
      {
        key: 'change',
        title: t('change'),
        width: 'minmax(120px, 2fr)',
        isExtra: true,
        cell: (row) => {
          const text = changeText(row, t)
          return <span title={text}>{text}</span>
        },
      },
      { key: 'ip', title: t('ip'), width: 'minmax(90px, 130px)', isExtra: true, cell: (row) => row.ip || '–' },
    ],
    [language],
  )
}

const valueCharactersMax = 40

/** One field with its values, several by their names. */
function changeText({ detail, after_digest: after, before_digest: before }: Entry, t: Translate<typeof auditText.en>) {
  const changes = detail === null ? [] : fieldChanges(detail.before, detail.after)
  const [first] = changes
  if (!first) return after === null && before === null ? '–' : t('secretChange')
  if (changes.length > 1) return changes.map(({ field }) => field).join(', ')
  const short = (value: string | undefined) => (value ?? '–').slice(0, valueCharactersMax)
  const values = first.before === undefined ? short(first.after) : `${short(first.before)} → ${short(first.after)}`
  return first.field === '' ? values : `${first.field}: ${values}`
}
