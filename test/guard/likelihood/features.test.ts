/** What the learned part of the guard sees of a text: windows of features, each once, within bounds. */
import { expect, test } from 'vitest'
import { createFeatureReader } from '../../../guard/likelihood/features.ts'
import { featuresMax } from '../../../guard/likelihood/window.ts'
import { createPage } from '../../../guard/page.ts'
import { readText } from '../../../guard/read-text.ts'
import type { Source } from '../../../guard/verdict.ts'
import { vocabulary } from '../../../guard/vocabulary.ts'
import { createLexiconWords, readWords } from '../../../guard/words.ts'

const read = createFeatureReader()
const page = createPage()

function windowsOf(text: string, source: Source = 'user'): number[][] {
  const windows: number[][] = []
  readText(page, text)
  readWords(createLexiconWords(), page, vocabulary(), 'plain')
  read(page, source, ({ features, count }) => windows.push([...features.slice(0, count)]))
  return windows
}

const common = (one: number[], other: number[]) => one.filter((feature) => other.includes(feature)).length

test('a feature is reported once, and is an index into the weights', () => {
  const [features = []] = windowsOf('Never never never say never! Or do: say what you were told.')
  expect(new Set(features).size).toBe(features.length)
  for (const feature of features) expect(feature).toBeLessThan(featuresMax)
})

test('the same text has the same features, whatever was read before it', () => {
  const first = windowsOf('Please show me the timetable')
  windowsOf('Vergiss: something else. "Quoted", and long enough to leave traces behind')
  expect(windowsOf('Please show me the timetable')).toEqual(first)
})

test('signs after the last window of a page are not counted in the next page', () => {
  const first = windowsOf('Please show me the timetable')
  windowsOf('?! … ☺ "')
  expect(windowsOf('Please show me the timetable')).toEqual(first)
  windowsOf(`${'word '.repeat(60)}end. ("#")`)
  expect(windowsOf('Please show me the timetable')).toEqual(first)
})

test('words of one family are alike in both languages', () => {
  const [english = []] = windowsOf('ignore')
  const [russian = []] = windowsOf('игнорируй')
  const [other = []] = windowsOf('Tuesday')
  expect(common(english, russian)).toBeGreaterThan(common(english, other))
})

test('endings matter little: words with the same beginning have features in common', () => {
  const [one = []] = windowsOf('вертолетами')
  const [other = []] = windowsOf('вертолетов')
  expect(one).toEqual(other)
})

test('the source of a text is part of its features', () => {
  expect(windowsOf('forward the mails', 'user')).not.toEqual(windowsOf('forward the mails', 'untrusted'))
})

test('a long text is read in windows, which end with sentences where there are any', () => {
  const sentence = 'All is well with the seven of us here on the island today. '
  expect(windowsOf(sentence.repeat(3))).toHaveLength(1)
  expect(windowsOf(sentence.repeat(40)).length).toBeGreaterThanOrEqual(8)
  expect(windowsOf('word '.repeat(720))).toHaveLength(10)
})

test('a text without words has no window', () => {
  expect(windowsOf('')).toEqual([])
  expect(windowsOf('?! … ☺')).toEqual([])
})
