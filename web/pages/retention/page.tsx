/** Retention: every table that grows, with its size and growth, and how long it is kept, to change in place. */
import { Button, Stack } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { Answer } from '../../api/types.ts'
import { useSession } from '../../app/session.tsx'
import { Card } from '../../parts/card.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { fieldRefusals } from '../../parts/field-refusal.ts'
import { FormButtons } from '../../parts/form-buttons.tsx'
import { bytesText, numberText, shortNumberText } from '../../parts/format.ts'
import { LoadingRows } from '../../parts/loading-rows.tsx'
import { NumberField } from '../../parts/number-field.tsx'
import { Page } from '../../parts/page.tsx'
import { SmallTable } from '../../parts/small-table.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { Time } from '../../parts/time.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useLanguage, useText } from '../../text/text.ts'
import { retentionText } from './text.ts'

type Table = Answer<'GET /v1/admin/retention'>['items'][number]

const queryKey = ['retention'] as const

export default function RetentionPage() {
  const t = useText(retentionText)
  const c = useText(sharedText)
  const language = useLanguage()
  const { may } = useSession()
  const [changing, setChanging] = useState<Table>()
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => call('GET /v1/admin/retention', { signal }),
  })
  const nameOf = useTableName()
  const keptText = (days: number | null) => (days === null ? t('forEver') : t('forDays', { n: days }))
  return (
    <Page
      title={t('title')}
      about={t('about')}
      {...(data && { facts: t('database', { size: bytesText(data.database_bytes, language) }) })}
    >
      <ErrorPanel error={error} onRetry={() => void refetch()} />
      {!data && !error && <LoadingRows label={c('loading')} />}
      {data && (
        <Card isFlush label={t('title')}>
          <SmallTable label={t('title')} leastWidthPx={620}>
            <thead>
              <tr>
                <th>{t('what')}</th>
                <th data-number>{t('size')}</th>
                <th data-number>{t('growth')}</th>
                <th data-number>{t('rows')}</th>
                <th>{t('oldest')}</th>
                <th>{t('kept')}</th>
              </tr>
            </thead>
            <tbody>
              {data.items.map((table) => (
                <tr key={table.table}>
                  <td title={table.table}>{nameOf(table)}</td>
                  <td data-number>{bytesText(table.bytes, language)}</td>
                  <td data-number>{bytesText(table.bytes_a_day, language)}</td>
                  <td data-number>
                    {table.rows_estimated
                      ? t('about_n', { n: shortNumberText(table.rows, language) })
                      : numberText(table.rows, language)}
                  </td>
                  <td>
                    <Time iso={table.oldest_at} />
                  </td>
                  <td>
                    {table.setting !== null && may('settings.write') ? (
                      <Button
                        size="xs"
                        variant="default"
                        title={t('change', { what: nameOf(table) })}
                        onClick={() => setChanging(table)}
                      >
                        {keptText(table.days)}
                      </Button>
                    ) : (
                      keptText(table.days)
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </SmallTable>
        </Card>
      )}
      {changing && <ChangeDays table={changing} name={nameOf(changing)} onClose={() => setChanging(undefined)} />}
    </Page>
  )
}

/** The words for a table; one that has none yet is shown by its own name. */
function useTableName(): (table: Table) => string {
  const t = useText(retentionText)
  return ({ table }) => (table in retentionText.en ? t(table as keyof typeof retentionText.en) : table)
}

function ChangeDays({ table, name, onClose }: { table: Table; name: string; onClose(): void }) {
  const t = useText(retentionText)
  const c = useText(sharedText)
  const queries = useQueryClient()
  const [days, setDays] = useState<number | undefined>(table.days ?? 0)
  const { error, isBusy, submit } = useSubmit(async () => {
    await call('POST /v1/admin/settings', { body: { set: { [table.setting ?? '']: String(days ?? 0) } } })
    await Promise.all([queries.invalidateQueries({ queryKey }), queries.invalidateQueries({ queryKey: ['settings'] })])
    onClose()
  })
  const { at, rest } = fieldRefusals(error, { days: table.setting ?? '' })
  return (
    <Dialog title={t('change', { what: name })} onClose={onClose} isFirm>
      <form onSubmit={submit}>
        <Stack>
          <NumberField
            label={t('days')}
            description={t('daysHint')}
            required
            allowDecimal={false}
            data-autofocus
            error={at.days}
            value={days}
            onNumber={setDays}
          />
          <ErrorPanel error={rest} />
          <FormButtons action={c('save')} isBusy={isBusy} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  )
}
