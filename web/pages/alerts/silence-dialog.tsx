/** Silences a rule, or what it says of one thing, for a time. */
import { NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { FormButtons } from '../../parts/form-buttons.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { toast } from '../../parts/toast.tsx'
import { useText } from '../../text/text.ts'
import type { Alert, Rule } from './rule.ts'
import { alertsText } from './text.ts'

const lengthsS = [3_600, 14_400, 86_400, 604_800, 2_592_000] as const

interface SilenceDialogProps {
  rule: Rule['rule']
  title: string
  /** What the alert is about, where there is one. */
  of?: Pick<Alert, 'subject' | 'subject_name'>
  onClose(): void
}

export default function SilenceDialog({ rule, title, of, onClose }: SilenceDialogProps) {
  const t = useText(alertsText)
  const queries = useQueryClient()
  const [subject, setSubject] = useState(of?.subject ?? '')
  const [lengthS, setLengthS] = useState<string>(String(lengthsS[0]))
  const [reason, setReason] = useState('')
  const { error, isBusy, submit } = useSubmit(async () => {
    await call('POST /v1/admin/alerts/silence', { body: { rule, subject, for_s: Number(lengthS), reason } })
    await queries.invalidateQueries({ queryKey: ['alerts'] })
    toast({ title: t('silenceIsOn', { rule: title }) })
    onClose()
  })
  return (
    <Dialog title={t('silenceOf', { rule: title })} onClose={onClose} isFirm>
      <form onSubmit={submit}>
        <Stack>
          <Text>{t('silenceWhy')}</Text>
          {of && of.subject !== '' && (
            <NativeSelect
              label={t('silenceWhat')}
              value={subject}
              data={[
                { value: of.subject, label: t('onlyThis', { subject: of.subject_name ?? of.subject }) },
                { value: '', label: t('everything') },
              ]}
              onChange={(event) => setSubject(event.currentTarget.value)}
            />
          )}
          <NativeSelect
            label={t('silenceFor')}
            value={lengthS}
            data={lengthsS.map((length) => ({ value: String(length), label: t(`for_${length}`) }))}
            onChange={(event) => setLengthS(event.currentTarget.value)}
          />
          <TextInput
            label={t('reason')}
            description={t('reasonHint')}
            maxLength={500}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <ErrorPanel error={error} />
          <FormButtons action={t('silence')} isBusy={isBusy} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  )
}
