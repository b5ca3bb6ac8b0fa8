/** How full the budget of a key is: a meter and what it may use. The budgets of all keys are one request. */
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../app/session.tsx'
import { Meter } from '../../parts/meter.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import { amountText, type Budget, budgetOfLine, limitOf, shareOf } from '../budgets/budget.ts'
import { budgetsListed } from '../budgets/budgets-listed.ts'
import type { Key } from './key.ts'
import styles from './keys.module.css'
import { keysText } from './text.ts'

const refetchMs = 15_000

/** @returns the budget that is used up, or else the fullest, of those that count a key; none where the role may not see money */
export function useBudgetOf(): (key: Key) => Budget | undefined {
  const { may } = useSession()
  const { data } = useQuery({ ...budgetsListed, refetchInterval: refetchMs, enabled: may('money.read') })
  return (key) => data && budgetOfLine(data, key.line_id)
}

interface BudgetMeterProps {
  of: Budget
  /** Of the key. */
  name: string
  /** With what was spent, and in which time. */
  isWhole?: boolean
}

export function BudgetMeter({ of, name, isWhole = false }: BudgetMeterProps) {
  const t = useText(keysText)
  const language = useLanguage()
  const amounts = { spent: amountText(of, Number(of.spent), language), limit: amountText(of, limitOf(of), language) }
  const spent = t(of.period === 'day' ? 'spentToday' : 'spentMonth', amounts)
  return (
    <span className={styles['budget']} data-whole={isWhole || undefined} title={spent}>
      <Meter share={shareOf(of)} label={t('budgetOf', { name })} />
      <span>{isWhole ? spent : t('ofLimit', amounts)}</span>
    </span>
  )
}
