/** Takes the pictures in each view. */
import { accessSync, constants, mkdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { playgroundText } from './dialogs.ts'

export interface View {
  name: string
  options: BrowserContextOptions
  isWhole?: boolean
}

export interface Picture {
  name: string
  path: string
}

const wide = { viewport: { width: 1440, height: 900 }, locale: 'en-GB' }
const narrow = { viewport: { width: 390, height: 844 } }

export const views: readonly View[] = [
  { name: 'light', options: { ...wide, colorScheme: 'light' } },
  { name: 'dark', options: { ...wide, colorScheme: 'dark' } },
  { name: 'narrow', options: { ...narrow, locale: 'ru-RU', colorScheme: 'light' }, isWhole: true },
  { name: 'narrow-dark', options: { ...narrow, locale: 'en-GB', colorScheme: 'dark' }, isWhole: true },
]

/** Full-page pictures are cut here. */
const heightMax = 2_600
const shownWithinMs = 30_000
const quietWithinMs = 1_500

export async function openBrowser(): Promise<Browser> {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  for (const folder of (process.env['PATH'] ?? '').split(delimiter))
    for (const name of names) {
      const executablePath = join(folder, name)
      if (isProgram(executablePath))
        return await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-quic'] })
    }
  throw new Error('There is no Chromium on the PATH. Debian: apt-get install chromium')
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** @param cookie of the session; without one the page asks to sign in */
export async function takePictures(
  browser: Browser,
  { uiUrl, folder }: { uiUrl: string; folder: string },
  pictures: readonly Picture[],
  cookie?: readonly [string, string],
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const { name: viewName, options, isWhole = false } of views) {
    const context = await browser.newContext({ timezoneId: 'UTC', ...options })
    if (cookie) {
      const [name, value] = cookie
      await context.addCookies([{ name, value, domain: '127.0.0.1', path: '/', httpOnly: true, sameSite: 'Strict' }])
    }
    const page = await context.newPage()
    page.setDefaultTimeout(shownWithinMs)
    page.on('console', (message) => {
      if (message.type() === 'error') console.warn(`${page.url()}: ${message.text()}`)
    })
    for (const { name, path } of pictures) {
      await page.goto(`${uiUrl}${path}`)
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      if (path === '/playground') await chat(page)
      await page.waitForLoadState('networkidle', { timeout: quietWithinMs }).catch(() => undefined) // feeds never become idle
      await page.waitForFunction("document.querySelector('.mantine-Skeleton-root, [aria-busy=true]') === null")
      await shoot(page, join(folder, `${name}-${viewName}.png`), isWhole)
    }
    await context.close()
  }
}

/** Sends a message in the playground and waits for the answer. */
async function chat(page: Page): Promise<void> {
  await page.getByRole('combobox').first().fill('support')
  await page.keyboard.press('Tab')
  await page.getByRole('textbox').last().fill(playgroundText)
  await page.keyboard.press('Enter')
  await page.getByText('59.76').last().waitFor()
}

async function shoot(page: Page, path: string, isWhole: boolean): Promise<void> {
  const { width = 0, height = 0 } = page.viewportSize() ?? {}
  if (!isWhole) {
    await page.screenshot({ path })
    return
  }
  const whole = await page.evaluate<number>('document.documentElement.scrollHeight')
  const clip = { x: 0, y: 0, width, height: Math.min(heightMax, Math.max(whole, height)) }
  await page.screenshot({ path, fullPage: true, clip })
}
