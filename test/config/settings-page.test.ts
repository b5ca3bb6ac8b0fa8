import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { settingKeys } from '../../config/catalogue.ts'
import { settingsPage, settingsPageFile } from '../../scripts/settings-page.ts'

test('docs/settings.md is the catalogue as it is now: npm run docs:settings writes it', () => {
  const page = readFileSync(settingsPageFile, 'utf8')
  expect(page).toBe(settingsPage())
  for (const key of settingKeys) expect(page).toContain(`### ${key}\n`)
})
