/** One setting: its help, its effective value and origin, and its field. */
import { memo } from 'react'
import { useSession } from '../../app/session.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import { Conflict } from './conflict.tsx'
import type { Change, Setting } from './draft.ts'
import { Editor } from './editor.tsx'
import { nameOf } from './names.ts'
import styles from './settings.module.css'
import { settingsText } from './text.ts'
import { presentText } from './values.ts'

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
  const name = nameOf(setting.key, language)
  return (
    <section aria-label={`${name} (${setting.key})`} className={styles['row']} data-changed={change ? true : undefined}>
      <div>
        <h2 className={styles['name']}>
          {name}
          {setting.unused && <StatusBadge tone="quiet">{t('unused')}</StatusBadge>}
          {setting.pending_restart && <StatusBadge tone="warn">{t('pending')}</StatusBadge>}
          {setting.secret && (
            <StatusBadge tone={setting.is_set ? 'good' : 'quiet'}>
              {t(setting.is_set ? 'isSet' : 'isNotSet')}
            </StatusBadge>
          )}
        </h2>
        <div className={styles['help']}>{help}</div>
        <div className={styles['key']}>{setting.key}</div>
      </div>
      <div className={styles['value']}>
        <Editor
          setting={setting}
          label={name}
          text={fieldText(setting, change)}
          error={error}
          isReadOnly={isReadOnly}
          isChanged={change !== undefined}
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
        <div className={styles['origin']}>
          <span>
            {change ? `${t('changedUnsaved')} · ${t('was', { what: presentText(setting, t) })}` : t(setting.origin)} ·{' '}
            {t(applies[setting.apply])}
            {setting.secret ? '' : ` · ${t('defaultIs', { what: setting.default || t('blank') })}`}
          </span>
          {!isReadOnly && setting.origin === 'stored' && change?.is !== 'unset' && (
            <button type="button" onClick={() => onChange(setting, { is: 'unset' })}>
              {t('forget')}
            </button>
          )}
          {change && (
            <button type="button" onClick={() => onChange(setting, undefined)}>
              {t('undo')}
            </button>
          )}
        </div>
        <Notes setting={setting} hasError={error !== undefined} isOwnersOnly={isOwnersOnly && mayWrite} />
      </div>
    </section>
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
      {setting.problem && <div className={styles['problem']}>{setting.problem}</div>}
      {notes.map((note) => (
        <div key={note} className={styles['note']}>
          {note}
        </div>
      ))}
    </>
  )
}

function fieldText(setting: Setting, change: Change | undefined): string {
  if (change?.is === 'set') return change.text
  if (setting.secret) return ''
  return change?.is === 'unset' ? setting.default : (setting.value ?? '')
}
