/** One budget: what it has used, when operators are told, when calls are refused, and a way to what used it. */
import { Button, Group, Text } from '@mantine/core'
import { useSession } from '../../app/session.tsx'
import { DetailPane } from '../../parts/detail-pane.tsx'
import { percentText } from '../../parts/format.ts'
import { KeyValue } from '../../parts/key-value.tsx'
import { linkTo } from '../../parts/link-to.tsx'
import { Meter } from '../../parts/meter.tsx'
import { State, type StateName } from '../../parts/state.tsx'
import { Time } from '../../parts/time.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import { amountText, type Budget, forecastOf, isOutsideAnalytics, limitOf, shareOf, usageFilters } from './budget.ts'
import { budgetsText } from './text.ts'

const states: Record<Budget['state'], StateName> = { within: 'healthy', soft: 'degraded', hard: 'failed' }

export function BudgetState({ of: { state } }: { of: Budget }) {
  const t = useText(budgetsText)
  return <State state={states[state]}>{t(`state_${state}`)}</State>
}

interface BudgetPaneProps {
  budget: Budget
  name: string
  onChange(): void
  onRemove(): void
  onClose(): void
}

export function BudgetPane({ budget, name, onChange, onRemove, onClose }: BudgetPaneProps) {
  const t = useText(budgetsText)
  const language = useLanguage()
  const { may } = useSession()
  const amount = (stored: number | null) => amountText(budget, stored, language)
  const forecast = forecastOf(budget)
  return (
    <DetailPane title={name} label={t('pane', { name })} onClose={onClose}>
      <Group gap="sm" wrap="nowrap">
        <Meter share={shareOf(budget)} label={t('fullOf', { name })} />
        <Text size="sm">{percentText(shareOf(budget), language)}</Text>
      </Group>
      <KeyValue
        rows={[
          [t('state'), <BudgetState key="state" of={budget} />],
          [t('kind'), t(budget.subject)],
          [t('period'), t(budget.period)],
          [t('spent'), amount(Number(budget.spent))],
          [t('soft'), amount(budget.soft_limit)],
          [t('hard'), amount(budget.hard_limit)],
          [
            t('changed'),
            <span key="changed">
              <Time iso={budget.updated_at} /> · {budget.updated_by}
            </span>,
          ],
        ]}
      />
      <Text size="sm">{forecastText(forecast)}</Text>
      <Text size="sm" c="dimmed">
        {t(budget.hard_limit === null ? 'tellsWhy' : 'refusesWhy')}
      </Text>
      <Group gap="sm">
        {may('usage.read') && !isOutsideAnalytics(budget) && (
          <Button variant="default" renderRoot={linkTo('/analytics', usageFilters(budget))}>
            {t('toUsage')}
          </Button>
        )}
        {may('alerts.read') && (
          <Button variant="default" renderRoot={linkTo('/alerts')}>
            {t('toAlerts')}
          </Button>
        )}
        {may('money.write') && (
          <>
            <Button variant="default" onClick={onChange}>
              {t('change')}
            </Button>
            <Button variant="default" color="red" onClick={onRemove}>
              {t('remove')}
            </Button>
          </>
        )}
      </Group>
    </DetailPane>
  )

  function forecastText(used: number | null): string {
    if (used === null) return t('tooEarly')
    const values = { amount: amount(Math.round(used)), period: t(`${budget.period}Of`) }
    return t(used > limitOf(budget) ? 'forecastOver' : 'forecast', values)
  }
}
