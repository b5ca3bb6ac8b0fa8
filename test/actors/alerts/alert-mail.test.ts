/** What a mail about an alert says, of every rule and in both languages. */
import { describe, expect, it } from 'vitest'
import { alertMail } from '../../../actors/alerts/alert-mail.ts'
import { alertRuleIds, ruleOf } from '../../../actors/alerts/rules.ts'

const fired = {
  ...{ rule: 'deliveries_failing', subject: 'chan_1', subject_name: 'Support', value: 0.256, threshold: 0.2 },
  ...{ began_at: '2026-01-02T03:04:05.000Z', resolved_at: null },
}
const mailOf = (type: string, data: Record<string, unknown>, language: 'en' | 'ru' = 'en') =>
  alertMail({ type, data }, language)

describe('a mail about an alert', () => {
  it('says what fires, about what, its value beside the threshold, since when and where it is explained', () => {
    expect(mailOf('alert.fired', fired)).toEqual({
      title: 'Alert: Deliveries of a channel fail (Support)',
      text: [
        'The share of the deliveries of the last hour that failed or were given up, by channel.',
        '',
        'About: Support',
        'Value: 25.6% (threshold 20%)',
        'Since: 2026-01-02T03:04:05.000Z',
        'What to do: section deliveries-failing, docs/alerts.md',
      ].join('\n'),
    })
  })

  it('says when it was over', () => {
    const mail = mailOf('alert.resolved', { ...fired, resolved_at: '2026-01-02T04:00:00.000Z' }, 'ru')
    expect(mail?.title).toBe('Тревога снята: Доставки канала не проходят (Support)')
    expect(mail?.text).toContain('Закончилось: 2026-01-02T04:00:00.000Z')
  })

  it('names the id of what has no name, and nothing where it is about all', () => {
    expect(mailOf('alert.fired', { ...fired, subject_name: null })?.title).toContain('(chan_1)')
    const ofAll = mailOf('alert.fired', { ...fired, rule: 'error_rate', subject: '', subject_name: null })
    expect(ofAll?.title).toBe('Alert: Many turns fail')
    expect(ofAll?.text).not.toContain('About')
  })

  it('writes each rule’s number in its unit', () => {
    const value = (rule: string, number: number, language: 'en' | 'ru' = 'en') =>
      mailOf('alert.fired', { ...fired, rule, value: number }, language)?.text.match(
        /^(?:Value|Значение): (.*) \(/m,
      )?.[1]
    expect(value('turn_latency', 2.34)).toBe('×2.3')
    expect(value('deliveries_pending', 901.4)).toBe('901 sec')
    expect(value('keys_ending', 2.04)).toBe('2 days')
    expect(value('nodes_lost', 2)).toBe('2')
    expect(value('budgets_hard', 1.2)).toBe('120%')
    expect(value('turn_latency', 2.34, 'ru')).toBe('×2,3')
  })

  it.each(alertRuleIds)('of %s has its title and its words in both languages', (rule) => {
    for (const language of ['en', 'ru'] as const) {
      const mail = mailOf('alert.fired', { ...fired, rule }, language)
      expect(mail?.title).toContain(ruleOf(rule).title[language])
      expect(mail?.text).toContain(ruleOf(rule).help[language])
      expect(mail?.text).toContain(ruleOf(rule).runbook)
    }
  })

  it('is not written about other events, nor of a rule that this version does not know', () => {
    expect(mailOf('turn.completed', fired)).toBeUndefined()
    expect(mailOf('alert.fired', { ...fired, rule: 'later' })).toBeUndefined()
    expect(mailOf('alert.test', {})?.text).toBe('This is a test. Nothing has happened.')
  })
})
