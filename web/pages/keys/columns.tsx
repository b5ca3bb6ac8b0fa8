/** The columns of the list of keys. */
import { Ban, RefreshCw } from 'lucide-react'
import { useSession } from '../../app/session.tsx'
import type { Column } from '../../parts/data-table.tsx'
import { MoreMenu } from '../../parts/more-menu.tsx'
import { Ago, Time } from '../../parts/time.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { type Translate, useText } from '../../text/text.ts'
import { useCostColumn } from '../analytics/cost-column.tsx'
import type { Budget } from '../budgets/budget.ts'
import { BudgetMeter } from './budget-meter.tsx'
import { type Key, mayRotate, scopeWords, stateOf } from './key.ts'
import { KeyStateBadge } from './key-state-badge.tsx'
import styles from './keys.module.css'
import { keysText } from './text.ts'

/** The columns that have room beside an open key. */
export const shownBeside = ['name', 'state', 'cost', 'budget', 'used']

export type KeyAction = 'rotate' | 'revoke'

interface ColumnsOptions {
  budgetOf(key: Key): Budget | undefined
  onDo(action: KeyAction, key: Key): void
}

export function useKeyColumns({ budgetOf, onDo }: ColumnsOptions): Column<Key>[] {
  const t = useText(keysText)
  const c = useText(sharedText)
  const { may } = useSession()
  const cost = useCostColumn<Key>('key', ({ id }) => id)
  const actions = useActions(onDo)
  const columns: Column<Key>[] = [
    {
      key: 'name',
      title: c('name'),
      width: 'minmax(190px, 2.5fr)',
      isMain: true,
      phone: 'title',
      cell: (row) => (
        <span title={`${row.name} ${row.hint}`}>
          <span className={styles['name']}>{row.name}</span>{' '}
          <span className={`mono ${styles['hint']}`}>{row.hint}</span>
        </span>
      ),
    },
    {
      key: 'state',
      title: c('status'),
      width: 'minmax(120px, 138px)',
      phone: 'line',
      cell: (row) => <KeyStateBadge of={row} isUsedUp={budgetOf(row)?.state === 'hard'} />,
    },
    {
      key: 'scopes',
      title: t('scopes'),
      width: 'minmax(100px, 1.4fr)',
      isExtra: true,
      cell: (row) => {
        const words = row.scopes.map((scope) => t(scopeWords[scope]))
        if (row.kind === 'personal') words.push(t('personal'))
        return <span title={words.join(', ')}>{words.join(', ')}</span>
      },
    },
    {
      key: 'limits',
      title: t('limits'),
      width: 'minmax(80px, 130px)',
      isExtra: true,
      cell: (row) => {
        const limits = limitsOf(row, t).join(', ')
        return (
          <span title={[limits, ...row.allowed_ips].filter((text) => text !== '').join('\n')}>{limits || '–'}</span>
        )
      },
    },
    ...cost,
  ]
  if (may('money.read'))
    columns.push({
      key: 'budget',
      title: t('budget'),
      width: 'minmax(120px, 160px)',
      phone: 'none',
      cell: (row) => {
        const budget = budgetOf(row)
        return budget ? <BudgetMeter of={budget} name={row.name} /> : '–'
      },
    })
  columns.push(
    {
      key: 'used',
      title: t('lastUse'),
      width: 'minmax(64px, 90px)',
      isNumber: true,
      phone: 'end',
      cell: (row) => <Ago iso={row.used_at} />,
    },
    {
      key: 'expires',
      title: t('ends'),
      width: '156px',
      isNumber: true,
      isExtra: true,
      cell: (row) => <Time iso={row.revoked_at ?? row.expires_at} never={t('never')} />,
    },
  )
  return may('keys.write') ? [...columns, actions] : columns
}

/** What the key is bounded by, in words. */
export function limitsOf(row: Key, t: Translate<typeof keysText.en>): string[] {
  const parts: string[] = []
  if (row.rate_limit_rpm !== null) parts.push(t('perMinute', { n: row.rate_limit_rpm }))
  if (row.rate_limit_tpm !== null) parts.push(t('tokensPerMinute', { n: row.rate_limit_tpm }))
  if (row.allowed_ips.length > 0) parts.push(t('fromAddresses', { n: row.allowed_ips.length }))
  return parts
}

function useActions(onDo: ColumnsOptions['onDo']): Column<Key> {
  const t = useText(keysText)
  const c = useText(sharedText)
  const { session } = useSession()
  return {
    key: 'actions',
    title: c('actions'),
    isTitleUnseen: true,
    width: '24px',
    phone: 'none',
    cell: (key) =>
      stateOf(key) === 'active' && (
        <MoreMenu
          isSmall
          label={t('actionsOf', { name: key.name })}
          actions={[
            ...(mayRotate(key, session.role)
              ? [{ label: t('rotate'), icon: RefreshCw, onClick: () => onDo('rotate', key) }]
              : []),
            { label: c('revoke'), icon: Ban, isDangerous: true, onClick: () => onDo('revoke', key) },
          ]}
        />
      ),
  }
}
