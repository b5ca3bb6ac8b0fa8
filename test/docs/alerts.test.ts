/** The page of the alerts has each rule of the catalogue, and what to do. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { alertRuleIds, ruleOf } from '../../actors/alerts/rules.ts'

const page = readFileSync(new URL('../../docs/alerts.md', import.meta.url), 'utf8')

test.each(alertRuleIds)('%s has a row and the section that its alerts name', (rule) => {
  expect(page).toContain(`| \`${rule}\` `)
  expect(page).toContain(`\n## ${ruleOf(rule).runbook}\n`)
})
