/** Values of settings as display text, before and after a change; never the text of a secret. */
import type { Translate } from '../../text/text.ts'
import type { Change, Setting } from './draft.ts'
import type { settingsText } from './text.ts'

type TranslateSetting = Translate<typeof settingsText.en>

export function presentText(setting: Setting, t: TranslateSetting): string {
  if (setting.secret) return t(setting.is_set ? 'secretSet' : 'secretUnset')
  return setting.value || t('blank')
}

export function changedText(setting: Setting, change: Change | undefined, t: TranslateSetting): string {
  if (change?.is === 'unset')
    return `${t('forget')}: ${setting.secret ? t('secretUnset') : setting.default || t('blank')}`
  if (setting.secret) return t('secretReplaced')
  return change?.text || t('blank')
}
