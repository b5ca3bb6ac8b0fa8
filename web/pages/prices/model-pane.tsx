/** The prices of one model at one endpoint: what a unit costs today, and every price before and after. */
import { ActionIcon, Button, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { Banner } from '../../parts/banner.tsx'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { DetailPane } from '../../parts/detail-pane.tsx'
import { KeyValue } from '../../parts/key-value.tsx'
import { SmallTable } from '../../parts/small-table.tsx'
import { Time } from '../../parts/time.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useLanguage, useText } from '../../text/text.ts'
import { lacksPrice, type ModelPrices, type Price, type Unit, unitPriceText, units } from './price.ts'
import { pricesText } from './text.ts'
import { unitPricesText } from './unit-prices-text.ts'

interface ModelPaneProps {
  of: ModelPrices
  onAdd(): void
  onClose(): void
}

export function ModelPane({ of, onAdd, onClose }: ModelPaneProps) {
  const t = useText(pricesText)
  const c = useText(sharedText)
  const { may } = useSession()
  const queries = useQueryClient()
  const [removing, setRemoving] = useState<Price>()
  const close = () => setRemoving(undefined)
  return (
    <DetailPane
      title={of.endpoint === '' ? of.model : `${of.model} · ${of.endpoint}`}
      label={t('pane', { model: of.model })}
      actions={
        may('money.write') && (
          <Button size="xs" variant="default" onClick={onAdd}>
            {t('add')}
          </Button>
        )
      }
      onClose={onClose}
    >
      {of.unpriced > 0 && (
        <Banner tone={lacksPrice(of) ? 'warn' : 'info'} title={t('unpricedCalls', { n: of.unpriced })}>
          {t('unpricedWhy')}
        </Banner>
      )}
      {of.today && <Today price={of.today} />}
      <Text size="sm" c="dimmed">
        {t('keeps')}
      </Text>
      {of.all.length > 0 && <History prices={of.all} onRemove={may('money.write') ? setRemoving : undefined} />}
      {removing && (
        <ConfirmAction
          title={t('removeTitle', { model: of.model })}
          actionLabel={c('remove')}
          onConfirm={async () => {
            await call('POST /v1/admin/prices/remove', { body: { id: removing.id } })
            await queries.invalidateQueries({ queryKey: ['prices'] })
            close()
          }}
          onClose={close}
        >
          {t('removeWhy')}
        </ConfirmAction>
      )}
    </DetailPane>
  )
}

/** Tokens are always said; other units where they have a price. */
function Today({ price }: { price: Price }) {
  const t = useText(pricesText)
  const language = useLanguage()
  const instead: Partial<Record<Unit, string>> = { token_cached: t('asIn'), token_reasoning: t('asOut') }
  const shown = units.filter((unit) => unit.startsWith('token_') || price.units[unit] !== undefined)
  return (
    <KeyValue
      rows={[
        ...shown.map(
          (unit) =>
            [
              t(`${unit}Long`),
              price.units[unit] === undefined ? (instead[unit] ?? '–') : unitPriceText(unit, price, language),
            ] as const,
        ),
        [t('since'), <Time key="since" iso={price.from} />],
      ]}
    />
  )
}

interface HistoryProps {
  prices: readonly Price[]
  onRemove: ((price: Price) => void) | undefined
}

function History({ prices, onRemove }: HistoryProps) {
  const t = useText(pricesText)
  const c = useText(sharedText)
  const language = useLanguage()
  return (
    <SmallTable label={t('history')} heightMaxPx={420}>
      <thead>
        <tr>
          <th>{t('from')}</th>
          <th>{t('price')}</th>
          {onRemove && (
            <th>
              <span className="unseen">{c('actions')}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {prices.map((price) => (
          <tr key={price.id}>
            <td title={`${t('until')}: ${price.until ?? t('nextBegins')} · ${t('by')}: ${price.created_by}`}>
              <Time iso={price.from} />
            </td>
            <td>{unitPricesText(price, units, t, language)}</td>
            {onRemove && (
              <td>
                <ActionIcon
                  size="sm"
                  aria-label={t('removeOf', { day: price.from.slice(0, 10) })}
                  onClick={() => onRemove(price)}
                >
                  <Trash2 size={14} aria-hidden />
                </ActionIcon>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </SmallTable>
  )
}
