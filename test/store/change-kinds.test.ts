/** The page on several processes names every kind of notice. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { scalePage, scalePageFile } from '../../scripts/scale-page.ts'

it('docs/scale.md has the kinds of now: npm run docs:scale writes it', () => {
  const page = readFileSync(scalePageFile, 'utf8')
  expect(scalePage(page)).toBe(page)
})
