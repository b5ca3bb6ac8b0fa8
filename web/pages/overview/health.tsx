/** Readiness of the service, and counts that link to their pages. */

import { Anchor, Card, Group, SimpleGrid, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Permission } from '../../api/session.ts'
import type { Answer } from '../../api/types.ts'
import { linkTo } from '../../parts/link-to.tsx'
import { useMayOpen } from '../../parts/may-open.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import { overviewText } from './text.ts'

export type Overview = Answer<'GET /v1/admin/overview'>

export function ServiceHealth({ overview }: { overview: Overview }) {
  const t = useText(overviewText)
  const { health, version, queue, counts } = overview
  return (
    <>
      <Group gap="sm">
        <StatusBadge tone={health.ready ? 'good' : 'bad'}>
          {t(health.ready ? 'ready' : health.draining ? 'draining' : 'notReady')}
        </StatusBadge>
        <StatusBadge tone={health.database === 'up' ? 'good' : 'bad'}>
          {t(health.database === 'up' ? 'databaseUp' : 'databaseDown')}
        </StatusBadge>
        {(health.schema === 'pending' || health.schema === 'newer') && (
          <StatusBadge tone="bad">{t(health.schema === 'pending' ? 'schemaPending' : 'schemaNewer')}</StatusBadge>
        )}
        <Text c="dimmed">
          {t('version')} {version}
        </Text>
      </Group>
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm">
        <Figure label={t('running')} value={queue.running} page={turnsOf('running')} />
        <Figure label={t('waiting')} value={queue.waiting} page={turnsOf('queued')} />
        <Figure
          label={t('conversations')}
          value={counts.conversations}
          isLeast={overview.at_least.includes('conversations')}
          page={{ path: '/conversations', permission: 'conversations.read' }}
        />
        <Figure label={t('messages')} value={counts.messages} isLeast={overview.at_least.includes('messages')} />
        <Figure
          label={t('channels')}
          value={counts.channels}
          page={{ path: '/channels', permission: 'channels.read' }}
        />
        <Figure label={t('keys')} value={counts.api_keys} page={{ path: '/keys', permission: 'keys.read' }} />
      </SimpleGrid>
    </>
  )
}

const turnsOf = (status: string) => ({ path: '/turns', permission: 'conversations.read', search: { status } }) as const

interface FigureProps {
  label: string
  value: number
  isLeast?: boolean
  page?: { path: string; permission: Permission; search?: Record<string, string> }
}

function Figure({ label, value, isLeast = false, page }: FigureProps) {
  const t = useText(overviewText)
  const language = useLanguage()
  const mayOpen = useMayOpen()
  const name: ReactNode =
    page !== undefined && mayOpen(page.path, page.permission) ? (
      <Anchor size="sm" renderRoot={linkTo(page.path, page.search)}>
        {label}
      </Anchor>
    ) : (
      <Text size="sm" c="dimmed" span>
        {label}
      </Text>
    )
  return (
    <Card>
      {name}
      <Text size="xl" fw={600}>
        {isLeast ? t('atLeast', { n: value }) : value.toLocaleString(language)}
      </Text>
    </Card>
  )
}
