/** The refusal: its language and the operator's own words. */
import { expect, test } from 'vitest'
import { refusalText } from '../../guard/refusal.ts'

test.each(['ru-RU', 'ru', 'ru_RU.UTF-8', ' RU-ru'])('the refusal for %s is Russian', (locale) => {
  expect(refusalText(locale, '')).toMatch(/^[А-Яа-яё ,.:—-]+$/)
})

test.each(['en-US', 'de', '', 'rum-RO'])('the refusal for "%s" is English', (locale) => {
  expect(refusalText(locale, '  ')).toMatch(/^I can/)
})

test('the operator’s refusal replaces the built-in one', () => {
  expect(refusalText('ru-RU', 'No.')).toBe('No.')
})
