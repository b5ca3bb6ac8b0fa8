/** Silences that are not over, to end them. */
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { Answer } from '../../api/types.ts'
import { useSession } from '../../app/session.tsx'
import { Card } from '../../parts/card.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { SmallTable } from '../../parts/small-table.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { Time } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useLanguage, useText } from '../../text/text.ts'
import type { Rule } from './rule.ts'
import { alertsText } from './text.ts'

type Silence = Answer<'GET /v1/admin/alerts/silences'>['items'][number]

/** They end by themselves. */
const refetchMs = 30_000

export function Silences({ rules }: { rules: readonly Rule[] }) {
  const t = useText(alertsText)
  const c = useText(sharedText)
  const language = useLanguage()
  const { may } = useSession()
  const { data, error, refetch } = useQuery({
    queryKey: ['alerts', 'silences'],
    queryFn: ({ signal }) => call('GET /v1/admin/alerts/silences', { signal }),
    refetchInterval: refetchMs,
  })
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />
  if (!data || data.items.length === 0) return null
  const titleOf = ({ rule }: Silence) => rules.find((one) => one.rule === rule)?.title[language] ?? rule
  return (
    <Card title={t('silences')} isFlush>
      <SmallTable label={t('silences')} leastWidthPx={560}>
        <thead>
          <tr>
            <th>{t('rule')}</th>
            <th>{t('subject')}</th>
            <th>{t('untilTime')}</th>
            <th>{t('reason')}</th>
            <th>{t('by')}</th>
            {may('alerts.write') && <th>{c('actions')}</th>}
          </tr>
        </thead>
        <tbody>
          {data.items.map((silence) => (
            <tr key={`${silence.rule} ${silence.subject}`}>
              <td>{titleOf(silence)}</td>
              <td>{silence.subject_name ?? (silence.subject || t('all'))}</td>
              <td>
                <Time iso={silence.until} />
              </td>
              <td>{silence.reason || '–'}</td>
              <td>{silence.created_by}</td>
              {may('alerts.write') && (
                <td>
                  <EndSilence of={silence} title={titleOf(silence)} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </SmallTable>
    </Card>
  )
}

function EndSilence({ of: { rule, subject }, title }: { of: Silence; title: string }) {
  const t = useText(alertsText)
  const queries = useQueryClient()
  const { error, isBusy, submit } = useSubmit(async () => {
    await call('POST /v1/admin/alerts/unsilence', { body: { rule: rule as Rule['rule'], subject } })
    await queries.invalidateQueries({ queryKey: ['alerts'] })
    toast({ title: t('silenceEnded', { rule: title }) })
  })
  return (
    <>
      <Button
        size="xs"
        variant="default"
        title={t('endSilenceOf', { rule: title })}
        loading={isBusy}
        onClick={() => submit()}
      >
        {t('endSilence')}
      </Button>
      <ErrorPanel error={error} />
    </>
  )
}
