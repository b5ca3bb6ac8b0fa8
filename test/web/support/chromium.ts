/** A real browser on the real service: pages that watch for console errors and for what the Content-Security-Policy stops. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Where Chromium is on the PATH; undefined where it is not. */
export function findChromium(): string | undefined {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter))
    for (const name of names) {
      try {
        accessSync(join(folder, name), constants.X_OK)
        return join(folder, name)
      } catch {
        // not here
      }
    }
  return undefined
}

export const chromiumPath = findChromium()

if (chromiumPath === undefined) {
  const message =
    'NO CHROMIUM ON THE PATH: every test of the admin UI in a browser is skipped. Debian: apt-get install chromium'
  if (process.env['SERVICE_TEST_BROWSER'] === 'required') throw new Error(message)
  console.warn(`\n${'!'.repeat(message.length)}\n${message}\n${'!'.repeat(message.length)}\n`)
}

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export async function openChromium(): Promise<Browser> {
  return await chromium.launch({ executablePath: chromiumPath ?? '', headless: true, args: flags })
}

let shared: Promise<Browser> | undefined

/** One for all files of a test process, which take turns; it ends with the process. */
export async function sharedChromium(): Promise<Browser> {
  const browser = await shared
  if (!browser?.isConnected()) shared = openChromium()
  return (await shared) as Browser
}

/** What a file has left open is closed: the next one begins with an empty browser. */
export async function leaveChromium(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map((context) => context.close()))
}

export interface WatchedPage {
  page: Page
  context: BrowserContext
  /** Console errors, uncaught exceptions and stopped content so far; an empty list is what a test expects at its end. */
  consoleErrors: string[]
  close(): Promise<void>
}

/** Runs in the page. */
const reportStoppedContent = `document.addEventListener('securitypolicyviolation', (event) => {
  console.error('stopped by the Content-Security-Policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample)
})`

/** @param expected consoleErrors that are no defect, such as the browser's own line on an answer 401 */
export async function watchedPage(
  browser: Browser,
  options: BrowserContextOptions = {},
  expected: readonly RegExp[] = [],
): Promise<WatchedPage> {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', ...options })
  const consoleErrors: string[] = []
  const trouble = (text: string) => {
    if (!expected.some((known) => known.test(text))) consoleErrors.push(text)
  }
  await context.addInitScript(reportStoppedContent)
  const page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error') trouble(`${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => trouble(`uncaught: ${error.stack ?? error.message}`))
  page.setDefaultTimeout(10_000)
  return { page, context, consoleErrors, close: () => context.close() }
}
