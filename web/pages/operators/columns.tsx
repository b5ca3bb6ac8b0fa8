/** The columns of the list of operators. */
import { useSession } from '../../app/session.tsx'
import type { Column } from '../../parts/data-table.tsx'
import { State } from '../../parts/state.tsx'
import { Ago } from '../../parts/time.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { type Translate, useText } from '../../text/text.ts'
import type { Operator } from './operator.ts'
import styles from './operators.module.css'
import { operatorsText } from './text.ts'

/** The columns that have room beside an open operator. */
export const shownBeside = ['name', 'role', 'state', 'seen']

export function useColumns(): Column<Operator>[] {
  const t = useText(operatorsText)
  const c = useText(sharedText)
  const { session } = useSession()
  return [
    {
      key: 'name',
      title: c('name'),
      width: 'minmax(140px, 2fr)',
      isMain: true,
      phone: 'title',
      cell: (row) => (
        <span title={`${row.name} ${row.login}`.trim()}>
          <span className={styles['name']}>{row.name || row.login}</span>{' '}
          {row.name !== '' && <span className={styles['login']}>{row.login}</span>}
          {row.id === session.operator.id && ` (${t('you')})`}
        </span>
      ),
    },
    {
      key: 'role',
      title: t('role'),
      width: 'minmax(90px, 130px)',
      phone: 'aside',
      cell: (row) => row.role && <span className={styles['role']}>{t(row.role)}</span>,
    },
    {
      key: 'state',
      title: c('status'),
      width: 'minmax(90px, 120px)',
      phone: 'line',
      cell: (row) => <OperatorState of={row} />,
    },
    {
      key: 'factor',
      title: t('factor'),
      width: 'minmax(120px, 1fr)',
      isExtra: true,
      phone: 'line',
      cell: (row) => <Factors of={row} />,
    },
    {
      key: 'seen',
      title: t('lastSeen'),
      width: 'minmax(90px, 130px)',
      isNumber: true,
      phone: 'end',
      cell: (row) => <Ago iso={row.signed_in_at} never={t('neverSeen')} />,
    },
  ]
}

export function OperatorState({ of }: { of: Operator }) {
  const t = useText(operatorsText)
  return <State state={of.is_disabled ? 'cancelled' : 'healthy'}>{t(of.is_disabled ? 'disabled' : 'enabled')}</State>
}

export function Factors({ of }: { of: Operator }) {
  const t = useText(operatorsText)
  const factors = factorsOf(of, t)
  return <State state={factors === '' ? 'degraded' : 'healthy'}>{factors || t('factorNone')}</State>
}

function factorsOf({ has_totp, passkeys }: Operator, t: Translate<typeof operatorsText.en>): string {
  return [...(has_totp ? [t('factorApp')] : []), ...(passkeys > 0 ? [t('factorPasskeys', { n: passkeys })] : [])].join(
    ', ',
  )
}
