/** The columns of a list of keys, without the actions. */
import { Code, Text } from '@mantine/core'
import type { Column } from '../../parts/data-table.tsx'
import { Time } from '../../parts/time.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { type Translate, useText } from '../../text/text.ts'
import type { Key } from './key.ts'
import { KeyStateBadge } from './key-state-badge.tsx'
import { keysText } from './text.ts'

export function useKeyColumns(): Column<Key>[] {
  const t = useText(keysText)
  const c = useText(sharedText)
  return [
    {
      key: 'name',
      title: c('name'),
      width: 'minmax(110px, 2fr)',
      cell: (row) => (
        <>
          <Text fw={500} lineClamp={1}>
            {row.name}
          </Text>
          <Code>{row.hint}</Code>
        </>
      ),
    },
    {
      key: 'state',
      title: t('state'),
      width: 'minmax(76px, 100px)',
      cell: (row) => <KeyStateBadge of={row} />,
    },
    {
      key: 'scopes',
      title: t('scopes'),
      width: 'minmax(110px, 1fr)',
      cell: (row) => (
        <Text size="sm">{[...row.scopes, ...(row.kind === 'personal' ? [t('personal')] : [])].join(', ')}</Text>
      ),
      isExtra: true,
    },
    {
      key: 'limits',
      title: t('limits'),
      width: 'minmax(80px, 120px)',
      cell: (row) => (
        <Text size="sm" title={row.allowed_ips.join(', ')}>
          {limitsOf(row, t) || '–'}
        </Text>
      ),
      isExtra: true,
    },
    {
      key: 'used',
      title: t('lastUse'),
      width: 'minmax(90px, 150px)',
      cell: (row) => <Time iso={row.used_at} never={t('unused')} />,
      isExtra: true,
    },
    {
      key: 'expires',
      title: t('expiry'),
      width: 'minmax(80px, 150px)',
      cell: (row) => <Time iso={row.revoked_at ?? row.expires_at} never={t('never')} />,
      isExtra: true,
    },
  ]
}

function limitsOf(row: Key, t: Translate<typeof keysText.en>): string {
  const parts: string[] = []
  if (row.rate_limit_rpm !== null) parts.push(t('perMinute', { n: row.rate_limit_rpm }))
  if (row.rate_limit_tpm !== null) parts.push(t('tokensPerMinute', { n: row.rate_limit_tpm }))
  if (row.allowed_ips.length > 0) parts.push(t('fromAddresses', { n: row.allowed_ips.length }))
  return parts.join(', ')
}
