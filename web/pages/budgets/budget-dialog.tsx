/** The form of a budget: of whom, for how long, how much, and what happens then. What is refused is said at its field. */
import { NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { fieldRefusals } from '../../parts/field-refusal.ts'
import { FormButtons } from '../../parts/form-buttons.tsx'
import { NumberField } from '../../parts/number-field.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { listed } from '../prices/listed.ts'
import { amountOf, type Budget, storedOf, subjects } from './budget.ts'
import type { useSubjects } from './subjects.ts'
import { budgetsText } from './text.ts'

interface BudgetDialogProps extends ReturnType<typeof useSubjects> {
  /** Undefined: a new one. Subject, period and unit of a budget stay. */
  budget: Budget | undefined
  budgets: readonly Budget[]
  onClose(): void
}

const params = { value: 'value', currency: 'currency', soft: 'soft_limit', hard: 'hard_limit' } as const

export default function BudgetDialog({ budget, budgets, choices, nameOf, onClose }: BudgetDialogProps) {
  const t = useText(budgetsText)
  const c = useText(sharedText)
  const queries = useQueryClient()
  const [fields, setFields] = useState(() => fieldsOf(budget))
  const [isTried, setTried] = useState(false)
  const change = (changed: Partial<typeof fields>) => setFields((before) => ({ ...before, ...changed }))
  const currency = useCurrency()
  const { subject, value, period, unit, soft, hard } = fields
  const chosenCurrency = currency ?? fields.currency
  const problems = {
    value: !budget && isThere(budgets, { ...fields, value: value.trim() }) ? t('isThere') : undefined,
    soft: soft !== undefined && hard !== undefined && soft > hard ? t('softAbove') : undefined,
    hard: soft === undefined && hard === undefined ? t('noLimit') : undefined,
  }
  const { error, isBusy, submit } = useSubmit(async () => {
    setTried(true)
    if (Object.values(problems).some((problem) => problem !== undefined)) return
    const stored = (amount: number | undefined) => (amount === undefined ? null : storedOf({ unit }, amount))
    await call('POST /v1/admin/budgets/set', {
      body: {
        ...{ subject, value: subject === 'workspace' ? '' : value.trim(), period, unit },
        ...(unit === 'micro_units' && { currency: chosenCurrency.trim().toUpperCase() }),
        soft_limit: stored(soft),
        hard_limit: stored(hard),
      },
    })
    await queries.invalidateQueries({ queryKey: ['budgets'] })
    onClose()
  })
  const { at, rest } = fieldRefusals(error, params)
  const unitText = unit === 'tokens' ? t('tokens') : chosenCurrency
  const problemAt = (field: keyof typeof problems) => at[field] ?? (isTried ? problems[field] : undefined)
  const list = choices[subject]
  const isCurrencyAsked = unit === 'micro_units' && currency === null
  return (
    <Dialog title={budget ? t('changeOf', { name: nameOf(budget) }) : t('add')} onClose={onClose} isFirm>
      <form onSubmit={submit}>
        <Stack>
          {!budget && (
            <>
              <NativeSelect
                label={t('kind')}
                value={subject}
                data={subjects.map((one) => ({ value: one, label: t(one) }))}
                error={subject === 'workspace' && problemAt('value')}
                onChange={(event) => {
                  const next = event.currentTarget.value as Budget['subject']
                  change({ subject: next, value: choices[next][0]?.value ?? '' })
                }}
              />
              {subject !== 'workspace' &&
                (list.length > 0 ? (
                  <NativeSelect
                    label={t(subject)}
                    value={value}
                    data={[...list]}
                    error={problemAt('value')}
                    onChange={(event) => change({ value: event.currentTarget.value })}
                  />
                ) : (
                  <TextInput
                    label={t(subject)}
                    description={t('byId')}
                    required
                    maxLength={256}
                    error={problemAt('value')}
                    value={value}
                    onChange={(event) => change({ value: event.currentTarget.value })}
                  />
                ))}
              <NativeSelect
                label={t('period')}
                description={t('periodHint')}
                value={period}
                data={(['month', 'day'] as const).map((one) => ({ value: one, label: t(one) }))}
                onChange={(event) => change({ period: event.currentTarget.value as Budget['period'] })}
              />
              <NativeSelect
                label={t('unit')}
                value={unit}
                data={(['micro_units', 'tokens'] as const).map((one) => ({ value: one, label: t(one) }))}
                onChange={(event) => change({ unit: event.currentTarget.value as Budget['unit'] })}
              />
            </>
          )}
          {isCurrencyAsked && (
            <TextInput
              label={t('currency')}
              description={t('currencyHint')}
              required
              maxLength={3}
              error={at.currency}
              value={fields.currency}
              onChange={(event) => change({ currency: event.currentTarget.value })}
            />
          )}
          <NumberField
            label={t('soft')}
            description={t('softHint')}
            unit={unitText}
            error={problemAt('soft')}
            value={soft}
            onNumber={(amount) => change({ soft: amount })}
          />
          <NumberField
            label={t('hard')}
            description={t('hardHint')}
            unit={unitText}
            error={problemAt('hard')}
            value={hard}
            onNumber={(amount) => change({ hard: amount })}
          />
          <Text size="sm" c="dimmed">
            {t('overshoot')}
          </Text>
          <ErrorPanel error={at.currency !== undefined && !isCurrencyAsked ? error : rest} />
          <FormButtons action={c('save')} isBusy={isBusy} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  )
}

function fieldsOf(budget: Budget | undefined) {
  const { subject = 'workspace', value, period = 'month', unit = 'micro_units', currency } = budget ?? {}
  const typed = (stored: number | null | undefined) => (stored == null ? undefined : amountOf({ unit }, stored))
  return {
    ...{ subject, value: value ?? '', period, unit, currency: currency ?? 'USD' },
    soft: typed(budget?.soft_limit),
    hard: typed(budget?.hard_limit),
  }
}

/** Setting it would change the other one without a word. */
function isThere(budgets: readonly Budget[], { subject, value, period, unit }: ReturnType<typeof fieldsOf>): boolean {
  return budgets.some(
    (one) => one.subject === subject && (one.value ?? '') === value && one.period === period && one.unit === unit,
  )
}

/** That of the prices; null: there are none. */
function useCurrency(): string | null | undefined {
  const { data } = useQuery(listed)
  return data?.currency
}
