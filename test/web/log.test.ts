/** The live log in a real browser: followed, paused, searched, exported, and with the maximum of lines. */
import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible } from './support/axe.ts'
import { chromiumPath } from './support/chromium.ts'
import { inTheme, type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

const turnId = `turn_${'a'.repeat(32)}`

/** Runs in the page: scrolls up by 900 pixels a frame, and returns the number of rendered rows and the topmost line of each. */
const scrollUp = `new Promise((resolve) => {
  const list = document.querySelector('section[aria-label="Журнал"]')
  const frames = []
  const step = () => {
    const rows = [...list.querySelectorAll('[data-index]')]
    frames.push({ rows: rows.length, top: Math.min(...rows.map((row) => Number(row.dataset.index))) })
    list.scrollTop -= 900
    if (frames.length < 60) requestAnimationFrame(step)
    else resolve(frames)
  }
  requestAnimationFrame(step)
})`

/** Runs in the page: where the list is once its rows have been measured, which moves it. */
const atRest = (list: string) => `new Promise((resolve) => {
  let last = -1
  const look = () => {
    const { scrollTop } = ${list}
    if (scrollTop === last) return resolve(scrollTop)
    last = scrollTop
    requestAnimationFrame(look)
  }
  look()
})`

/** The number of lines that the page shows. */
async function linesOf(page: Page): Promise<number> {
  return Number.parseInt((await page.getByText(/^[\d,]+ lines$/).textContent())?.replaceAll(',', '') ?? '', 10)
}

const hasFocus = async (target: Locator): Promise<boolean> =>
  (await target.and(target.page().locator(':focus')).count()) === 1

/** The log as a service of three nodes answers: the second starts while one looks, and the third was silent until then. */
async function watchedNodes(ui: UiUnderTest) {
  const watched = await ui.open('/')
  const { page } = watched
  const line = (node: number, id: number, msg: string) => ({
    ...{ node, id, time: '2026-01-01T12:00:00.000Z', level: 'info', msg, fields: {} },
  })
  await page.route(/\/v1\/admin\/log\?/, async (route) => {
    const after = new URL(route.request().url()).searchParams.get('after') ?? ''
    const response = await route.fetch()
    const pages: Record<string, [string, ...object[]]> = {
      '0-0': ['7-1', line(7, 1, 'of the first node')],
      '7-1': ['7-1.9000001-1', line(9_000_001, 1, 'of the new node')],
      '7-1.9000001-1': ['7-1.9000001-1.3-5', line(3, 5, 'of a node that was silent')],
    }
    const [cursor, ...items] = pages[after] ?? [after]
    await route.fulfill({ response, json: { items, cursor, missed: 0, has_more: false, silent_nodes: [] } })
  })
  await page.route(/\/v1\/admin\/nodes$/, async (route) => {
    const answer = await route.fetch()
    const { items, ...rest } = (await answer.json()) as { items: object[] }
    const started = { ...items[0], node: 9_000_001, version: '9.9.9' }
    await route.fulfill({ response: answer, json: { ...rest, items: [...items, started] } })
  })
  await page.goto(`${ui.url}/log?every=1`)
  return watched
}

describe.skipIf(chromiumPath === undefined)('the live log', () => {
  let ui: UiUnderTest
  beforeAll(async () => {
    ui = await uiUnderTest({ SERVICE_MODERATION: 'off' })
  })
  afterAll(() => ui?.stop())

  it('shows a line as soon as it is written, and its fields with a link to the turn', async () => {
    const { page, consoleErrors, close } = await ui.open('/log')
    await page.getByText('Following').waitFor()
    ui.service.log.info('a first line')
    await page.getByText('a first line').waitFor()
    ui.service.log.warn({ turn_id: turnId, note: '<img src=x onerror=alert(1)>' }, 'something happened')
    await page.getByText('something happened').waitFor()
    // By keyboard: a click would miss when another line of the service moves this one.
    await page.getByRole('button', { name: /something happened/ }).press('Enter')
    await page.getByRole('region', { name: 'Fields of this line' }).getByText('onerror').waitFor()
    expect(await page.getByRole('link', { name: 'Open turn' }).getAttribute('href')).toBe(`/turns/${turnId}`)
    await expectAccessible(page)
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('keeps its place while the operator reads, and follows again at the end', async () => {
    for (let n = 0; n < 200; n++) ui.service.log.info(`filler ${n}`)
    const { page, consoleErrors, close } = await ui.open('/log')
    await page.getByText('filler 199').waitFor()
    const list = `document.querySelector('section[aria-label="Log"]')`
    const toNewest = page.getByRole('button', { name: 'To the newest' })
    // A line that comes in the same frame takes the list to the end once more.
    await expect
      .poll(async () => {
        await page.evaluate(`${list}.scrollTo({ top: 600 })`)
        return await toNewest.isVisible()
      })
      .toBe(true)
    const top = await page.evaluate<number>(atRest(list))
    const before = await linesOf(page)
    ui.service.log.info('written while one reads')
    await expect.poll(() => linesOf(page)).toBeGreaterThan(before)
    expect(await page.getByText('written while one reads').count()).toBe(0)
    expect(await page.evaluate<number>(`${list}.scrollTop`)).toBe(top)
    await toNewest.click()
    await page.getByText('written while one reads').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused').waitFor()
    const other = await ui.open('/log')
    await other.page.getByText('Following').waitFor()
    const pausedLines = await linesOf(page)
    ui.service.log.info('written during the pause')
    await other.page.getByText('written during the pause').waitFor()
    expect(await page.getByText('written during the pause').count()).toBe(0)
    // What waits is counted.
    await page.getByText(/Paused · \d+ lines? waits?/).waitFor()
    expect(await linesOf(page)).toBe(pausedLines)
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('written during the pause').waitFor()
    expect([...consoleErrors, ...other.consoleErrors]).toEqual([])
    await other.close()
    await close()
  })

  it('pauses by Space, and goes from line to line by J and K without being carried away', async () => {
    const { page, consoleErrors, close } = await ui.open('/log')
    await page.getByText('Following').waitFor()
    for (const name of ['one', 'two', 'three']) ui.service.log.info(`by keys ${name}`)
    await page.getByText('by keys three').waitFor()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    const line = (name: string) => page.getByRole('button', { name: new RegExp(`by keys ${name}`) })
    await line('three').focus()
    await page.keyboard.press('k')
    await expect.poll(() => hasFocus(line('two'))).toBe(true)
    // On a line Space pauses too, and Enter opens.
    await page.keyboard.press('Space')
    await page.getByText('Following').waitFor()
    expect(await line('two').getAttribute('aria-expanded')).toBe('false')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Fields of this line' }).waitFor()
    const before = await linesOf(page)
    ui.service.log.info('by keys later')
    await expect.poll(() => linesOf(page)).toBeGreaterThan(before)
    expect(await hasFocus(line('two'))).toBe(true)
    await page.getByRole('button', { name: /To the newest, \d+ more/ }).waitFor()
    await page.keyboard.press('j')
    await expect.poll(() => hasFocus(line('three'))).toBe(true)
    // In a field Space is a space.
    await page.getByLabel('Search lines').fill('by keys')
    await page.getByLabel('Search lines').press('Space')
    expect(await page.getByRole('button', { name: 'Pause', exact: true }).count()).toBe(1)
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('marks where a node started, with its version, and shows nodes where there are several', async () => {
    const { page, consoleErrors, close } = await watchedNodes(ui)
    await page.getByText('of the first node').waitFor()
    await page.getByText(/^Node 9000001 started at \d\d:\d\d:\d\d · version 9\.9\.9$/).waitFor()
    await page.getByText('3 nodes', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: /of a node that was silent.*node 3/ }).waitFor()
    // Its number is lower than those of the others: it did not answer for a while, and has not started just now.
    expect(await page.getByText(/^Node \d+ started/).count()).toBe(1)
    await page.getByRole('button', { name: /of the new node.*node 9000001/ }).waitFor()
    await expectAccessible(page)
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('keeps level, search and refresh in the address, and exports the visible lines', async () => {
    ui.service.log.error({ reason: 'needle in the fields' }, 'an error')
    ui.service.log.info('needle of no weight')
    const { page, consoleErrors, close } = await ui.open('/log?level=error&q=NEEDLE&every=1')
    await page.getByText('an error').waitFor()
    expect(await page.getByText('needle of no weight').count()).toBe(0)
    expect(await page.getByRole('radio', { name: /^error/ }).isChecked()).toBe(true)
    await page.getByText('Refreshing').waitFor()
    await page.getByText('info', { exact: true }).first().click()
    await page.getByText('needle of no weight').waitFor()
    await page.reload()
    await page.getByText('needle of no weight').waitFor()
    expect(new URL(page.url()).searchParams.get('level')).toBe('info')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ])
    const text = await readFile(await download.path(), 'utf8')
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { msg: string }).msg),
    ).toEqual(['an error', 'needle of no weight'])
    await page.getByLabel('Search lines').fill('nothing has this')
    await page.getByText('No line fits these filters').waitFor()
    await page.getByRole('button', { name: 'Clear 2 filters' }).click()
    await page.getByText('needle of no weight').waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('renders only the visible of ten thousand lines; in Russian, in the dark, on a narrow screen', async () => {
    for (let n = 0; n < 10_000; n++) ui.service.log.debug({ n, path: '/v1/chat/completions' }, `line ${n}`)
    const viewport = { width: 390, height: 844 }
    const { page, consoleErrors, close } = await ui.open('/', { locale: 'ru-RU', viewport })
    await inTheme(page, 'dark')
    await page.goto(`${ui.url}/log`)
    await page.getByText(/^10\s000 строк$/).waitFor()
    // The page's own requests are logged behind the ten thousand, on a slow machine more than fit into the view.
    ui.service.log.info('behind ten thousand')
    await page.getByText('behind ten thousand').waitFor()
    await expectAccessible(page)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    const frames = await page.evaluate<{ rows: number; top: number }[]>(scrollUp)
    expect(Math.max(...frames.map(({ rows }) => rows))).toBeLessThan(120)
    expect(frames.at(-1)?.top).toBeLessThan((frames[0]?.top ?? 0) - 500)
    expect(consoleErrors).toEqual([])
    await close()
  })
})
