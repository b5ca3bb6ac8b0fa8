/** Values of settings as display text, before and after a change; never the text of a secret. */
import type { useText } from '../../text/text.ts'
import type { Change, Setting } from './draft.ts'
import type { settingsText } from './text.ts'

type Words = ReturnType<typeof useText<typeof settingsText.en>>

export function presentText(setting: Setting, t: Words): string {
  if (setting.secret) return t(setting.is_set ? 'secretSet' : 'secretUnset')
  return setting.value || t('blank')
}

export function changedText(setting: Setting, change: Change | undefined, t: Words): string {
  if (change?.is === 'unset')
    return `${t('forget')}: ${setting.secret ? t('secretUnset') : setting.default || t('blank')}`
  if (setting.secret) return t('secretReplaced')
  return change?.text || t('blank')
}
