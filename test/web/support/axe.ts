/** axe-core on the current page: accessibility violations fail the test. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  id: string
  help: string
  nodes: { target: unknown[]; failureSummary?: string }[]
}

const options = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
}

/** Of whatever weight. Injected through the debugger, because the page's Content-Security-Policy blocks other scripts. */
export async function violationsOf(page: Page): Promise<string[]> {
  if (await page.evaluate<boolean>('window.axe === undefined')) await page.evaluate(source)
  const { violations } = await page.evaluate<{ violations: Violation[] }>(
    `axe.run(document, ${JSON.stringify(options)})`,
  )
  return violations.map(({ id, help, nodes }) => `${id}: ${help}\n${nodes.slice(0, 5).map(placeOf).join('\n')}`)
}

export async function expectAccessible(page: Page): Promise<void> {
  expect(await violationsOf(page), `on ${page.url()}`).toEqual([])
}

const placeOf = ({ target, failureSummary = '' }: Violation['nodes'][number]): string =>
  `  ${target.join(' ')} ${failureSummary.split('\n').slice(1, 2).join(' ').trim()}`
