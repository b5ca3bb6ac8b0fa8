/** One entry of the audit log: who, what, from where, and the fields before and after. */
import { Button, Code, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Answer } from '../../api/types.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Time } from '../../parts/time.tsx'
import { useText } from '../../text/text.ts'
import styles from './changes.module.css'
import { type FieldChange, fieldChanges } from './field-changes.ts'
import { auditText } from './text.ts'

export type Entry = Answer<'GET /v1/admin/audit'>['items'][number]

interface EntryDetailsProps {
  entry: Entry
  onFilter(change: { actor: string } | { target: string }): void
  onClose(): void
}

export function EntryDetails({ entry, onFilter, onClose }: EntryDetailsProps) {
  const t = useText(auditText)
  const { target } = entry
  return (
    <Dialog title={entry.action} size="lg" onClose={onClose}>
      <Stack gap="sm">
        <div>
          <Fact title={t('at')}>
            <Time iso={entry.at} />
          </Fact>
          <Fact title={t('actor')}>{entry.actor}</Fact>
          <Fact title={t('target')}>{target ?? '–'}</Fact>
          <Fact title={t('ip')}>{entry.ip}</Fact>
          <Fact title={t('request')}>
            <Code>{entry.request_id}</Code>
          </Fact>
          <Fact title={t('seq')}>{entry.seq}</Fact>
        </div>
        <Changes entry={entry} />
        <Group gap="sm">
          <Button size="xs" variant="default" onClick={() => onFilter({ actor: entry.actor })}>
            {t('sameActor', { actor: entry.actor })}
          </Button>
          {target !== null && (
            <Button size="xs" variant="default" onClick={() => onFilter({ target })}>
              {t('sameTarget')}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  )
}

function Fact({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Text component="div">
      <Text span c="dimmed">
        {title}:{' '}
      </Text>
      {children}
    </Text>
  )
}

function Changes({ entry }: { entry: Entry }) {
  const t = useText(auditText)
  const { detail, before_digest, after_digest } = entry
  const changes = detail === null ? [] : fieldChanges(detail.before, detail.after)
  if (changes.length > 0)
    return (
      <Stack gap="sm">
        <Text fw={600}>{t('changes')}</Text>
        {changes.map((change) => (
          <Changed key={change.field} change={change} />
        ))}
      </Stack>
    )
  if (before_digest === null && after_digest === null) return <Text>{t('nothingKept')}</Text>
  return (
    <Stack gap={4}>
      <Text>{t('digestsOnly')}</Text>
      <Fact title={t('before')}>
        <Code>{before_digest ?? t('absent')}</Code>
      </Fact>
      <Fact title={t('after')}>
        <Code>{after_digest ?? t('absent')}</Code>
      </Fact>
    </Stack>
  )
}

function Changed({ change: { field, before, after } }: { change: FieldChange }) {
  const t = useText(auditText)
  const side = (is: 'removed' | 'added', title: string, value: string | undefined) =>
    value !== undefined && (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      <section className={styles['value']} data-is={is} tabIndex={0} aria-label={`${field} · ${title}`}>
        <b aria-hidden>{is === 'removed' ? '− ' : '+ '}</b>
        {value}
      </section>
    )
  return (
    <div>
      {field !== '' && (
        <Text size="sm" fw={600}>
          {field}
        </Text>
      )}
      <Stack gap={2}>
        {side('removed', t('before'), before)}
        {side('added', t('after'), after)}
      </Stack>
    </div>
  )
}
