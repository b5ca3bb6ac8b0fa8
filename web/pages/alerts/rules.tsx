/** The rules of the catalogue as they hold in this workspace: switched at once, thresholds and times changed in a dialog. */
import { Button, Stack, Switch, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { Card } from '../../parts/card.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { FormButtons } from '../../parts/form-buttons.tsx'
import { NumberField } from '../../parts/number-field.tsx'
import { SmallTable } from '../../parts/small-table.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { durationText } from '../../parts/time.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useLanguage, useText } from '../../text/text.ts'
import { type Rule, valueText } from './rule.ts'
import SilenceDialog from './silence-dialog.tsx'
import { alertsText } from './text.ts'

export default function Rules({ rules }: { rules: readonly Rule[] }) {
  const t = useText(alertsText)
  const c = useText(sharedText)
  const language = useLanguage()
  const { may } = useSession()
  const [changing, setChanging] = useState<Rule>()
  const [silencing, setSilencing] = useState<Rule>()
  return (
    <Card title={t('rules')} isFlush>
      <SmallTable label={t('rules')} leastWidthPx={560}>
        <thead>
          <tr>
            <th>{t('rule')}</th>
            <th>{t('fires')}</th>
            <th data-number>{t('floor')}</th>
            <th>{t('active')}</th>
            {may('alerts.write') && <th>{c('actions')}</th>}
          </tr>
        </thead>
        <tbody>
          {rules.map((rule) => {
            const value = valueText(rule.threshold, rule.unit, t, language)
            const fires = [
              t(rule.fires, { value }),
              ...(rule.for_s > 0 ? [t('forTime', { time: durationText(rule.for_s * 1_000, language) })] : []),
            ].join(', ')
            return (
              <tr key={rule.rule}>
                <td title={rule.help[language]}>
                  {rule.title[language]}{' '}
                  {rule.is_urgent && (
                    <Text span size="sm" c="dimmed">
                      {t('urgent')}
                    </Text>
                  )}
                </td>
                <td>
                  {may('alerts.write') ? (
                    <Button
                      size="xs"
                      variant="default"
                      title={t('change', { rule: rule.title[language] })}
                      onClick={() => setChanging(rule)}
                    >
                      {fires}
                    </Button>
                  ) : (
                    fires
                  )}
                </td>
                <td data-number>{rule.floor > 1 ? rule.floor : '–'}</td>
                <td>
                  <Watched rule={rule} isDisabled={!may('alerts.write')} />
                </td>
                {may('alerts.write') && (
                  <td>
                    <Button
                      size="xs"
                      variant="default"
                      title={t('silenceOf', { rule: rule.title[language] })}
                      onClick={() => setSilencing(rule)}
                    >
                      {t('silence')}
                    </Button>
                  </td>
                )}
              </tr>
            )
          })}
        </tbody>
      </SmallTable>
      {changing && <ChangeRule rule={changing} onClose={() => setChanging(undefined)} />}
      {silencing && (
        <SilenceDialog
          rule={silencing.rule}
          title={silencing.title[language]}
          onClose={() => setSilencing(undefined)}
        />
      )}
    </Card>
  )
}

function useChange() {
  const queries = useQueryClient()
  return async (body: Parameters<typeof call<'POST /v1/admin/alerts/rules/change'>>[1]['body']) => {
    await call('POST /v1/admin/alerts/rules/change', { body })
    await queries.invalidateQueries({ queryKey: ['alerts', 'rules'] })
  }
}

function Watched({ rule, isDisabled }: { rule: Rule; isDisabled: boolean }) {
  const t = useText(alertsText)
  const language = useLanguage()
  const change = useChange()
  const { error, isBusy, submit } = useSubmit(() => change({ rule: rule.rule, is_enabled: !rule.is_enabled }))
  return (
    <>
      <Switch
        aria-label={`${t('active')}: ${rule.title[language]}`}
        checked={rule.is_enabled}
        disabled={isDisabled || isBusy}
        onChange={() => submit()}
      />
      <ErrorPanel error={error} />
    </>
  )
}

/** Shares are typed in percent. */
function ChangeRule({ rule, onClose }: { rule: Rule; onClose(): void }) {
  const t = useText(alertsText)
  const c = useText(sharedText)
  const language = useLanguage()
  const change = useChange()
  const scale = rule.unit === 'share' ? 100 : 1
  const [threshold, setThreshold] = useState<number | undefined>(Math.round(rule.threshold * scale * 1e6) / 1e6)
  const [forS, setForS] = useState<number | undefined>(rule.for_s)
  const { error, isBusy, submit } = useSubmit(async () => {
    await change({
      rule: rule.rule,
      threshold: threshold === undefined ? null : threshold / scale,
      for_s: forS === undefined ? null : forS,
    })
    onClose()
  })
  return (
    <Dialog title={t('change', { rule: rule.title[language] })} onClose={onClose} isFirm>
      <form onSubmit={submit}>
        <Stack>
          <Text>{rule.help[language]}</Text>
          <NumberField
            label={t('threshold')}
            description={t('thresholdHint', { value: valueText(rule.default_threshold, rule.unit, t, language) })}
            min={0}
            value={threshold}
            onNumber={setThreshold}
            {...(rule.unit === 'share' && { unit: t('percent') })}
          />
          <NumberField
            label={t('forS')}
            description={t('forHint', { value: rule.default_for_s })}
            min={0}
            max={86_400}
            allowDecimal={false}
            value={forS}
            onNumber={setForS}
          />
          <ErrorPanel error={error} />
          <FormButtons action={c('save')} isBusy={isBusy} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  )
}
