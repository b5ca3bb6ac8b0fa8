/** Verifies the hash chain of the log: started by hand, because it reads the whole log. */

import { Button, CloseButton, Code, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { Answer } from '../../api/types.ts'
import { Banner } from '../../parts/banner.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { Time } from '../../parts/time.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { auditText } from './text.ts'

type Verdict = Answer<'GET /v1/admin/audit/verify'>

export function useVerification() {
  const t = useText(auditText)
  const [verdict, setVerdict] = useState<Verdict>()
  const { error, isBusy, submit } = useSubmit(async () => {
    setVerdict(undefined)
    setVerdict(await call('GET /v1/admin/audit/verify', {}))
  })
  return {
    button: (
      <Button variant="default" loading={isBusy} onClick={() => submit()}>
        {t('verify')}
      </Button>
    ),
    result: (
      <>
        <ErrorPanel error={error} messages={{ verification_runs: t('busy') }} />
        {isBusy && <Text role="status">{t('verifying')}</Text>}
        {verdict && <VerdictAlert verdict={verdict} onClose={() => setVerdict(undefined)} />}
      </>
    ),
  }
}

function VerdictAlert({ verdict, onClose }: { verdict: Verdict; onClose(): void }) {
  const t = useText(auditText)
  const c = useText(sharedText)
  const { problem, head, deleted_by_retention: deleted } = verdict
  return (
    <Banner
      tone={problem ? 'bad' : verdict.complete ? 'ok' : 'warn'}
      role={problem ? 'alert' : 'status'}
      actions={<CloseButton aria-label={c('close')} onClick={onClose} />}
    >
      <Stack gap={4}>
        <Text fw={600}>
          {problem ? t('broken', { seq: problem.seq, message: problem.message }) : t('intact', { n: verdict.entries })}
        </Text>
        {!verdict.complete && <Text>{t('incomplete', { command: verdict.command })}</Text>}
        {deleted && <Text>{t('retained', { seq: deleted.up_to_seq })}</Text>}
        <Text size="sm" component="div">
          <Time iso={verdict.at} /> · {t('head', { seq: head.seq })} <Code>{head.hash}</Code>
        </Text>
      </Stack>
    </Banner>
  )
}
