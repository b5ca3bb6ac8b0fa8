/** axe-core on the current page: accessibility violations fail the test. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  id: string
  impact: string | null
  help: string
  nodes: { target: unknown[]; failureSummary?: string }[]
}

const options = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
}

/** No serious and no critical violation. Injected through the debugger, because the page's Content-Security-Policy blocks other scripts. */
export async function expectAccessible(page: Page): Promise<void> {
  if (await page.evaluate<boolean>('window.axe === undefined')) await page.evaluate(source)
  const { violations } = await page.evaluate<{ violations: Violation[] }>(
    `axe.run(document, ${JSON.stringify(options)})`,
  )
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  const findings = grave.map(({ id, help, nodes }) => `${id}: ${help}\n${nodes.slice(0, 5).map(placeOf).join('\n')}`)
  expect(findings, `on ${page.url()}`).toEqual([])
}

const placeOf = ({ target, failureSummary = '' }: Violation['nodes'][number]): string =>
  `  ${target.join(' ')} ${failureSummary.split('\n').slice(1, 2).join(' ').trim()}`
