/** One pending tool call where its turn is shown: its exact arguments, the time left, and the decision. */
import { Code, Group, Stack } from '@mantine/core'
import type { Answer } from '../../api/types.ts'
import { Card } from '../../parts/card.tsx'
import { useText } from '../../text/text.ts'
import { ArgumentsJson } from './arguments.tsx'
import { Decision } from './decision.tsx'
import { Expiry } from './expiry.tsx'
import { approvalsText } from './text.ts'

export type Approval = Answer<'GET /v1/admin/approvals'>['items'][number]

export default function ApprovalCard({ approval }: { approval: Approval }) {
  const t = useText(approvalsText)
  const { agent, tool, path } = approval
  return (
    <Card label={`${t('asks', { agent })} ${tool}`}>
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <span>
            {t('asks', { agent })} <Code>{tool}</Code>
            {path !== '' && ` ${t('inSubAgent', { path })}`}
          </span>
          <Expiry at={approval.expires_at} />
        </Group>
        <ArgumentsJson value={approval.arguments} />
        <Decision approval={approval} />
      </Stack>
    </Card>
  )
}
