/** A shell command that posts a message to a generic channel. */
import { Stack, Text, Title } from '@mantine/core'
import { apiBase } from '../../api/call.ts'
import { CopyText } from '../../parts/copy-text.tsx'
import { useText } from '../../text/text.ts'
import { channelText } from './text.ts'

export function Snippet({ name }: { name: string }) {
  const t = useText(channelText)
  return (
    <Stack gap="sm" maw={860}>
      <Title order={2}>{t('snippet')}</Title>
      <Text c="dimmed">{t('snippetWhy')}</Text>
      <CopyText label={t('snippet')} text={commandFor(apiBase || location.origin, name)} />
    </Stack>
  )
}

const commandFor = (base: string, name: string): string =>
  `curl -sS ${base}/v1/inbound/${name} \\
  -H "x-service-inbound-secret: $SERVICE_INBOUND_SECRET" \\
  -H 'content-type: application/json' \\
  -d '{"external_id": "anna", "message_id": "m-1", "text": "Good morning!"}'`
