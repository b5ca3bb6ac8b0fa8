/** An alert as a mail: what it is, its value beside its threshold, and where it is explained. */
import { type AlertRule, isAlertRule, ruleOf } from './rules.ts'

type Language = 'en' | 'ru'

const words = {
  en: {
    'alert.fired': 'Alert',
    'alert.resolved': 'Resolved',
    'alert.test': 'Test of an alert',
    test: 'This is a test. Nothing has happened.',
    about: 'About',
    value: 'Value',
    threshold: 'threshold',
    since: 'Since',
    until: 'Until',
    runbook: 'What to do: section',
  },
  ru: {
    'alert.fired': 'Тревога',
    'alert.resolved': 'Тревога снята',
    'alert.test': 'Проверка тревоги',
    test: 'Это проверка. Ничего не случилось.',
    about: 'Объект',
    value: 'Значение',
    threshold: 'порог',
    since: 'Началось',
    until: 'Закончилось',
    runbook: 'Что делать: раздел',
  },
} as const

/** @returns undefined: it is about something else */
export function alertMail(
  { type, data }: { type: string; data: Record<string, unknown> },
  language: Language,
): { title: string; text: string } | undefined {
  const text = words[language]
  if (type === 'alert.test') return { title: text['alert.test'], text: text.test }
  if ((type !== 'alert.fired' && type !== 'alert.resolved') || typeof data.rule !== 'string' || !isAlertRule(data.rule))
    return undefined
  const rule: AlertRule = ruleOf(data.rule)
  const about = typeof data.subject_name === 'string' ? data.subject_name : String(data.subject ?? '')
  const number = (value: unknown) => numberText(value, rule.unit, language)
  const lines = [
    rule.help[language],
    '',
    ...(about === '' ? [] : [`${text.about}: ${about}`]),
    `${text.value}: ${number(data.value)} (${text.threshold} ${number(data.threshold)})`,
    `${text.since}: ${String(data.began_at)}`,
    ...(type === 'alert.resolved' ? [`${text.until}: ${String(data.resolved_at)}`] : []),
    `${text.runbook} ${rule.runbook}, docs/alerts.md`,
  ]
  const title = `${text[type]}: ${rule.title[language]}${about === '' ? '' : ` (${about})`}`
  return { title, text: lines.join('\n') }
}

function numberText(value: unknown, unit: AlertRule['unit'], language: Language): string {
  if (typeof value !== 'number') return '?'
  const format = (options: Intl.NumberFormatOptions) => new Intl.NumberFormat(language, options).format(value)
  switch (unit) {
    case 'share':
      return format({ style: 'percent', maximumFractionDigits: 1 })
    case 'ratio':
      return `×${format({ maximumFractionDigits: 1 })}`
    case 'seconds':
      return format({ style: 'unit', unit: 'second', maximumFractionDigits: 0 })
    case 'days':
      return format({ style: 'unit', unit: 'day', maximumFractionDigits: 1 })
    case 'count':
      return format({ maximumFractionDigits: 0 })
    default:
      return unit satisfies never
  }
}
