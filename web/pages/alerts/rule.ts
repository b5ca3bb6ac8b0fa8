/** Rules of alerts in the API, and their values as people read them. */
import type { Answer } from '../../api/types.ts'
import { numberText, percentText } from '../../parts/format.ts'
import { durationText } from '../../parts/time.tsx'
import type { Language, Translate } from '../../text/text.ts'
import type { alertsText } from './text.ts'

export type Rule = Answer<'GET /v1/admin/alerts/rules'>['items'][number]
export type Alert = Answer<'GET /v1/admin/alerts'>['items'][number]

export function valueText(
  value: number,
  unit: Rule['unit'] | undefined,
  t: Translate<typeof alertsText.en>,
  language: Language,
): string {
  switch (unit) {
    case 'share':
      return percentText(value, language)
    case 'seconds':
      return durationText(value * 1_000, language)
    case 'ratio':
      return t('times', { n: Math.round(value * 10) / 10 })
    case 'days':
      return t('days', { n: Math.round(value * 10) / 10 })
    default:
      return numberText(value, language)
  }
}
