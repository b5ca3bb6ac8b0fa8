/** The form of a new price: for a model, from now or from a later day on. What is refused is said at its field. */
import { Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { fieldRefusals } from '../../parts/field-refusal.ts'
import { FormButtons } from '../../parts/form-buttons.tsx'
import { useModelList } from '../../parts/model-list.ts'
import { NumberField } from '../../parts/number-field.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { SuggestField } from '../../parts/suggest-field.tsx'
import { toast } from '../../parts/toast.tsx'
import { useText } from '../../text/text.ts'
import { amountOf, type ModelPrices, type Price, storedOf, type Unit, units } from './price.ts'
import { pricesText } from './text.ts'

interface NewPriceProps {
  /** Of the prices that are there; null: there are none. */
  currency: string | null
  of?: Pick<ModelPrices, 'model' | 'endpoint' | 'all'> | undefined
  onClose(): void
}

const params = {
  model: 'prices[0].model',
  endpoint: 'prices[0].endpoint',
  currency: 'prices[0].currency',
  day: 'prices[0].from',
  ...(Object.fromEntries(units.map((unit) => [unit, `prices[0].units.${unit}`])) as Record<Unit, string>),
}

/** The others are rarely priced. */
const firstUnits: readonly Unit[] = ['token_in', 'token_cached', 'token_out']

const today = (): string => new Date().toISOString().slice(0, 10)

export default function NewPriceDialog({ currency: ofPrices, of, onClose }: NewPriceProps) {
  const t = useText(pricesText)
  const queries = useQueryClient()
  const [fields, setFields] = useState({
    model: of?.model ?? '',
    endpoint: of?.endpoint ?? '',
    currency: ofPrices ?? 'USD',
    day: today(),
  })
  const [amounts, setAmounts] = useState<Partial<Record<Unit, number>>>(() => amountsOf(of?.all[0]?.units ?? {}))
  const [isTried, setTried] = useState(false)
  const isMissing = Object.keys(amounts).length === 0
  const isPast = fields.day < today()
  const models = useModelNames()
  const { error, isBusy, submit } = useSubmit(async () => {
    setTried(true)
    if (isMissing || isPast) return
    const price = {
      model: fields.model.trim(),
      endpoint: fields.endpoint.trim(),
      currency: fields.currency.trim().toUpperCase(),
      from: fields.day === today() ? new Date().toISOString() : `${fields.day}T00:00:00Z`,
      units: Object.fromEntries(
        units.flatMap((unit) => (amounts[unit] === undefined ? [] : [[unit, storedOf(unit, amounts[unit])]])),
      ),
    }
    await call('POST /v1/admin/prices/import', { body: { prices: [price] } })
    await queries.invalidateQueries({ queryKey: ['prices'] })
    toast({ title: t('saved', { model: price.model }) })
    onClose()
  })
  const { at, rest } = fieldRefusals<keyof typeof params>(error, params, {
    prices_overlap: ['day', t('overlap')],
    currency_mixed: ['currency', t('mixed')],
  })
  const change = (changed: Partial<typeof fields>) => setFields((before) => ({ ...before, ...changed }))
  const amountField = (unit: Unit) => (
    <NumberField
      key={unit}
      label={t(`${unit}Long`)}
      {...(unit === 'token_cached' && { description: t('cachedHint') })}
      {...(unit === 'token_reasoning' && { description: t('reasoningHint') })}
      unit={fields.currency}
      error={at[unit] ?? (unit === 'token_in' && isTried && isMissing && t('noAmount'))}
      value={amounts[unit]}
      onNumber={(amount) =>
        setAmounts(({ [unit]: _, ...others }) => (amount === undefined ? others : { ...others, [unit]: amount }))
      }
    />
  )
  return (
    <Dialog title={of ? t('addOf', { model: of.model }) : t('add')} onClose={onClose} isFirm>
      <form onSubmit={submit}>
        <Stack>
          <SuggestField
            label={t('model')}
            description={t('modelHint')}
            required
            maxLength={256}
            data={models}
            limit={100}
            error={at.model}
            value={fields.model}
            onChange={(model) => change({ model })}
          />
          <TextInput
            label={t('endpoint')}
            description={t('endpointHint')}
            maxLength={256}
            autoComplete="off"
            error={at.endpoint}
            value={fields.endpoint}
            onChange={(event) => change({ endpoint: event.currentTarget.value })}
          />
          {ofPrices === null && (
            <TextInput
              label={t('currency')}
              description={t('currencyHint')}
              required
              maxLength={3}
              autoComplete="off"
              error={at.currency}
              value={fields.currency}
              onChange={(event) => change({ currency: event.currentTarget.value })}
            />
          )}
          {firstUnits.map(amountField)}
          <details>
            <summary>{t('otherUnits')}</summary>
            <Stack mt="sm">{units.filter((unit) => !firstUnits.includes(unit)).map(amountField)}</Stack>
          </details>
          <TextInput
            type="date"
            label={t('day')}
            description={t('dayHint')}
            required
            error={at.day ?? (isTried && isPast && t('dayIsOver'))}
            value={fields.day}
            onChange={(event) => change({ day: event.currentTarget.value })}
          />
          <Text size="sm" c="dimmed">
            {t('keeps')}
          </Text>
          <ErrorPanel error={at.currency !== undefined && ofPrices !== null ? error : rest} />
          <FormButtons action={t('save')} isBusy={isBusy} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  )
}

function amountsOf(stored: Price['units']): Partial<Record<Unit, number>> {
  return Object.fromEntries(
    units.flatMap((unit) => (stored[unit] === undefined ? [] : [[unit, amountOf(unit, stored[unit])]])),
  )
}

/** The names that clients ask for; a role that may not chat types one. */
function useModelNames(): string[] {
  const { may } = useSession()
  const { data = [] } = useModelList(may('chat.use'))
  return [...new Set(data.map(({ id }) => id))]
}
