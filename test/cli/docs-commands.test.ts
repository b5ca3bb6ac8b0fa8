/** What README and docs tell people to type: in the form that runs in a checkout, with one name for the key. */
import { expect, test } from 'vitest'
import { blocksOf, commandsOf, isShell, pages } from '../docs-walk/pages.ts'

const blocks = pages().flatMap((page) => blocksOf(page).filter(isShell))

test('no page uses the name of a command that some systems have for themselves', () => {
  expect(blocks.length).toBeGreaterThan(50)
  const bare =
    /(^|[|&;$(]|npx|exec) *service (start|settings|secrets|tools|keys|operators|prices|budgets|audit|doctor)\b/m
  expect(blocks.filter(({ text }) => bare.test(text))).toEqual([])
})

test('every block is made of whole commands, which the walk runs one by one', () => {
  expect(blocks.flatMap((block) => commandsOf(block)).length).toBeGreaterThan(150)
})

test('the key has one name in all of them', () => {
  expect(blocks.filter(({ text }) => /\$\{?(KEY|API_KEY|ADMIN_KEY|TOKEN)\b/.test(text))).toEqual([])
  expect(pages().find(({ name }) => name === 'README.md')?.text).toContain('export SERVICE_KEY=')
})
