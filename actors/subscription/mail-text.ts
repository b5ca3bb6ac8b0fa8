/** An event as a mail: its subject and text, in the language of the installation. */
import { alertMail } from '../alerts/alert-mail.ts'

/** What a receiver gets: by post as it stands, by mail in words. */
export interface Notice {
  type: string
  timestamp: string
  data: Record<string, unknown>
}

export interface MailText {
  title: string
  text: string
}

const fieldCharactersMax = 2_000

/** @param locale SERVICE_LOCALE: mails are in Russian or in English */
export function mailOf(notice: Notice, locale: string): MailText {
  const language = locale.toLowerCase().startsWith('ru') ? 'ru' : 'en'
  const alert = alertMail(notice, language)
  if (alert) return alert
  const lines = Object.entries(notice.data).map(([name, value]) => `${name}: ${textOf(value)}`)
  const heads = { en: { event: 'Event', at: 'At' }, ru: { event: 'Событие', at: 'Время' } }[language]
  return {
    title: `${heads.event}: ${notice.type}`,
    text: [`${heads.event}: ${notice.type}`, `${heads.at}: ${notice.timestamp}`, '', ...lines].join('\n'),
  }
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > fieldCharactersMax ? `${text.slice(0, fieldCharactersMax)}…` : text
}
