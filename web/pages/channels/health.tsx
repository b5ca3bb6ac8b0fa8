/** The state of a channel as one badge: first what an operator has set, then the state of its connection. */
import { Group } from '@mantine/core'
import type { Answer } from '../../api/types.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useText } from '../../text/text.ts'
import { channelsText } from './text.ts'

export type Channel = Answer<'GET /v1/admin/channels'>['items'][number]

export function Health({ channel }: { channel: Pick<Channel, 'is_enabled' | 'is_paused' | 'connection'> }) {
  const t = useText(channelsText)
  if (!channel.is_enabled) return <StatusBadge tone="quiet">{t('off')}</StatusBadge>
  return (
    <Group gap={4} wrap="nowrap">
      {channel.is_paused && <StatusBadge tone="warn">{t('paused')}</StatusBadge>}
      <Connection status={channel.connection.status} />
    </Group>
  )
}

function Connection({ status }: { status: Channel['connection']['status'] }) {
  const t = useText(channelsText)
  switch (status) {
    case 'none':
      return <StatusBadge tone="good">{t('on')}</StatusBadge>
    case 'connecting':
      return <StatusBadge tone="busy">{t('connecting')}</StatusBadge>
    case 'connected':
      return <StatusBadge tone="good">{t('connected')}</StatusBadge>
    case 'waiting':
      return <StatusBadge tone="bad">{t('away')}</StatusBadge>
    default:
      return status satisfies never
  }
}
