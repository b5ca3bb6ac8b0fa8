/** A real browser on the real service: pages that record console errors and violations of the Content-Security-Policy. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

/** The first is the same engine without windows and what they need: a quarter less processor time. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** The path of Chromium; undefined: it is not on the PATH. */
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

/** A bound for what hangs, not for speed: other processes may use the cores. */
const waitMsMax = 60_000

let shared: Promise<Browser> | undefined

/** One browser for all test files of a process, which run one after another; it ends with the process. */
export async function sharedChromium(): Promise<Browser> {
  const browser = await shared
  if (!browser?.isConnected()) shared = openChromium()
  return (await shared) as Browser
}

/** Closes all pages, so that the next test file starts with an empty browser. */
export async function leaveChromium(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map((context) => context.close()))
}

export interface WatchedPage {
  page: Page
  context: BrowserContext
  /** Console errors, uncaught exceptions and blocked content so far; each test expects none at its end. */
  consoleErrors: string[]
  close(): Promise<void>
}

/** Runs in the page. */
const reportBlockedContent = `document.addEventListener('securitypolicyviolation', (event) => {
  console.error('blocked by the Content-Security-Policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample)
})`

/** @param expected errors that are no defect, such as Chromium's line for a 401 */
export async function watchedPage(
  browser: Browser,
  options: BrowserContextOptions = {},
  expected: readonly RegExp[] = [],
): Promise<WatchedPage> {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', ...options })
  const consoleErrors: string[] = []
  const record = (text: string) => {
    if (!expected.some((pattern) => pattern.test(text))) consoleErrors.push(text)
  }
  await context.addInitScript(reportBlockedContent)
  const page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error') record(`${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => record(`uncaught: ${error.stack ?? error.message}`))
  page.setDefaultTimeout(waitMsMax)
  return {
    ...{ page, context, consoleErrors },
    async close() {
      // What a test answers in place of the service may be asked for at any moment.
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await context.close()
    },
  }
}
