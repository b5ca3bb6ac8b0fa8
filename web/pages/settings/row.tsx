/** One setting: its help, its effective value and origin, and its field. */
import { Badge, Button, Code, Group, Stack, Text } from '@mantine/core'
import { memo } from 'react'
import { useSession } from '../../app/session.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import { Conflict } from './conflict.tsx'
import type { Change, Setting } from './draft.ts'
import { Editor } from './editor.tsx'
import { settingsText } from './text.ts'

interface RowProps {
  setting: Setting
  change: Change | undefined
  error: string | undefined
  /** Another operator has stored another value since the edit began. */
  hasConflict: boolean
  mayWrite: boolean
  /** Undefined discards the change. */
  onChange(setting: Setting, change: Change | undefined): void
  /** Keeps the change in spite of the conflict. */
  onOverwrite(setting: Setting): void
}

const applies = { restart: 'applyRestart', live: 'applyLive', immediate: 'applyImmediate' } as const

export const SettingRow = memo(function SettingRow(props: RowProps) {
  const { setting, change, error, hasConflict, mayWrite, onChange, onOverwrite } = props
  const t = useText(settingsText)
  const language = useLanguage()
  const help = language === 'ru' ? setting.help_ru : setting.help
  const { session } = useSession()
  const isOwnersOnly = setting.owner_only && session.role !== 'owner'
  const isReadOnly = !mayWrite || setting.environment_only || isOwnersOnly
  return (
    <Stack gap={6} py="sm" component="section" aria-label={setting.key} className="setting">
      <Group gap="sm">
        <Code fw={600}>{setting.key}</Code>
        {change && <Badge size="sm">{t('changed')}</Badge>}
        {setting.unused && <StatusBadge tone="quiet">{t('unused')}</StatusBadge>}
        {setting.pending_restart && <StatusBadge tone="warn">{t('pending')}</StatusBadge>}
        {setting.secret && (
          <StatusBadge tone={setting.is_set ? 'good' : 'quiet'}>{t(setting.is_set ? 'isSet' : 'isNotSet')}</StatusBadge>
        )}
      </Group>
      <Text>{help}</Text>
      <Editor
        setting={setting}
        text={fieldText(setting, change)}
        error={error}
        isReadOnly={isReadOnly}
        onText={(text) => onChange(setting, { is: 'set', text })}
      />
      {change && hasConflict && (
        <Conflict
          setting={setting}
          change={change}
          onMine={() => onOverwrite(setting)}
          onTheirs={() => onChange(setting, undefined)}
        />
      )}
      <Group gap="sm">
        <Text size="sm" c="dimmed">
          {t(setting.origin)} · {t(applies[setting.apply])}
          {setting.secret ? '' : ` · ${t('defaultIs', { what: setting.default || t('blank') })}`}
        </Text>
        {!isReadOnly && setting.origin === 'stored' && change?.is !== 'unset' && (
          <Button size="xs" variant="subtle" onClick={() => onChange(setting, { is: 'unset' })}>
            {t('forget')}
          </Button>
        )}
        {change && (
          <Button size="xs" variant="subtle" onClick={() => onChange(setting, undefined)}>
            {t('undo')}
          </Button>
        )}
      </Group>
      <Notes setting={setting} hasError={error !== undefined} isOwnersOnly={isOwnersOnly && mayWrite} />
    </Stack>
  )
})

function Notes({ setting, hasError, isOwnersOnly }: { setting: Setting; hasError: boolean; isOwnersOnly: boolean }) {
  const t = useText(settingsText)
  const notes = [
    setting.unused && t('unusedWhy'),
    setting.environment_only && t('environmentOnly'),
    isOwnersOnly && t('ownerOnly'),
    setting.environment_hidden && t('hidesEnvironment'),
    setting.environment_ignored && t('environmentIgnored'),
    hasError && t('allowed', { what: setting.allowed }),
  ].filter((note): note is string => typeof note === 'string')
  return (
    <>
      {setting.problem && (
        <Text size="sm" c="red">
          {setting.problem}
        </Text>
      )}
      {notes.map((note) => (
        <Text key={note} size="sm" c="dimmed">
          {note}
        </Text>
      ))}
    </>
  )
}

function fieldText(setting: Setting, change: Change | undefined): string {
  if (change?.is === 'set') return change.text
  if (setting.secret) return ''
  return change?.is === 'unset' ? setting.default : (setting.value ?? '')
}
