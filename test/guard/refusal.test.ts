/** The refusal: its language and the operator's own words. */
import { expect, test } from 'vitest'
import { refusalText } from '../../guard/refusal.ts'

test.each(['ru-RU', 'ru', 'ru_RU.UTF-8', ' RU-ru'])('%s is told in Russian', (locale) => {
  expect(refusalText(locale, '')).toMatch(/^[А-Яа-яё ,.:—-]+$/)
})

test.each(['en-US', 'de', '', 'rum-RO'])('"%s" is told in English', (locale) => {
  expect(refusalText(locale, '  ')).toMatch(/^I can/)
})

test('the operator’s words come before ours', () => {
  expect(refusalText('ru-RU', 'No.')).toBe('No.')
})
