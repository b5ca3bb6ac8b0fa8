/** The admin UI in a real browser, with 100,000 of everything: how soon things show, and how smoothly they move. */
import type { Browser, Locator, Page } from 'playwright-core'
import { openChromium } from '../../test/web/support/chromium.ts'
import { interleaved } from '../interleave.ts'
import { freePort } from '../process/free-port.ts'
import type { Bench, Figures, Line, Row, Target } from '../row.ts'
import { type OurServer, startOurs } from '../servers/ours.ts'
import { startUpstream } from '../servers/upstream.ts'
import { median } from '../statistics.ts'
import { fill } from '../ui/filled.ts'
import { type PlainPages, plainPages } from '../ui/plain-pages.ts'
import { filteredMs, firstPaintMs, nextPageMs, opensMs, overviewMs, scrolled } from '../ui/seen.ts'
import { freshContext, signIn } from '../ui/sign-in.ts'

const lists = ['Conversations', 'Turns', 'Deliveries', 'Audit log'] as const

const atMost = (limit: number): readonly Target[] => [{ of: 'ours', atMost: limit }]

export const uiRow: Row = {
  name: 'ui',
  what: 'The admin UI in Chromium on the same machine, with 100,000 conversations, turns, deliveries and audit entries, and 10,000 lines of log; floor: a page of one sentence, lists of a service with nothing in it, plain rows that scroll.',
  isOnRequest: true,
  lines: [
    {
      ...{ label: 'first contentful paint, cold, median of 7', figure: 'firstPaintMs', unit: 'ms', isAdded: true },
      targets: atMost(500),
    },
    {
      ...{ label: 'the same of who is not signed in', figure: 'loginPaintMs', unit: 'ms', isAdded: true },
      targets: atMost(500),
    },
    { label: 'Overview with its figures, cold, median of 7', figure: 'overviewMs', unit: 'ms' },
    ...lists.map(
      (title): Line => ({
        ...{ label: `${title}, click to rows`, figure: `${title} open`, unit: 'ms', isAdded: true },
        targets: atMost(300),
      }),
    ),
    { label: 'Audit log, next page by scrolling', figure: 'nextPageMs', unit: 'ms', targets: atMost(300) },
    {
      label: 'Audit log, typed filter to rows, 300 of it waited',
      figure: 'filterMs',
      unit: 'ms',
      targets: atMost(600),
    },
    { label: 'Conversations, frames p95', figure: 'listP95Ms', unit: 'ms', digits: 1, targets: atMost(17) },
    { label: 'Conversations, frames over 33 ms', figure: 'listDropped', unit: '%', digits: 1, targets: atMost(1) },
    { label: 'Log, frames p95', figure: 'logP95Ms', unit: 'ms', digits: 1, targets: atMost(17) },
    { label: 'Log, frames over 33 ms', figure: 'logDropped', unit: '%', digits: 1, targets: atMost(1) },
    { label: 'Log, a line from its request to the screen', figure: 'lineMs', unit: 'ms', targets: atMost(1_000) },
  ],
  async measure(bench) {
    const upstream = await startUpstream()
    const plain = await plainPages()
    const [full, empty] = [await startUi(upstream), await startUi(upstream)]
    const browser = await openChromium()
    try {
      await fill(full.server, bench)
      await writeLog(full.server, bench.scale.uiLogLines)
      return await interleaved(
        { ours: () => ours(bench, browser, full), floor: () => floor(bench, browser, empty, plain) },
        bench.runs,
        bench.say,
      )
    } finally {
      await browser.close()
      plain.stop()
      await full.server.stop()
      await empty.server.stop()
      await upstream.stop()
    }
  },
}

interface Ui {
  server: OurServer
  url: string
}

async function startUi(upstream: Parameters<typeof startOurs>[0]): Promise<Ui> {
  const port = await freePort()
  const environment = { SERVICE_WEBUI_ADDR: `127.0.0.1:${port}`, SERVICE_LOG_LEVEL: 'debug' }
  return { server: await startOurs(upstream, { isProbed: false, environment }), url: `http://127.0.0.1:${port}` }
}

async function ours({ scale }: Bench, browser: Browser, { server, url }: Ui): Promise<Figures> {
  const session = await signIn(server, url)
  const figures: Figures = {
    firstPaintMs: await firstPaintMs(() => freshContext(browser, session), url),
    loginPaintMs: await firstPaintMs(() => freshContext(browser), url),
    overviewMs: await overviewMs(() => freshContext(browser, session), url),
  }
  const context = await freshContext(browser, session)
  const page = await context.newPage()
  for (const title of lists) figures[`${title} open`] = await openList(page, url, title, true)
  figures['nextPageMs'] = await nextPageMs(page, 'Audit log', 20)
  figures['filterMs'] = await filterMs(page)
  await openList(page, url, 'Conversations', true)
  const list = await scrolled(page, 'Conversations', scale.uiFrames, 60)
  Object.assign(figures, { listP95Ms: list.p95Ms, listDropped: list.droppedPercent })
  await page.goto(`${url}/log`)
  await page.getByText('Following').waitFor()
  figures['lineMs'] = await lineMs(page, server)
  const log = await scrolled(page, 'Log', scale.uiFrames, -60)
  Object.assign(figures, { logP95Ms: log.p95Ms, logDropped: log.droppedPercent })
  await context.close()
  return figures
}

async function floor({ scale }: Bench, browser: Browser, { server, url }: Ui, plain: PlainPages): Promise<Figures> {
  const paintMs = await firstPaintMs(() => freshContext(browser), plain.url)
  const figures: Figures = { firstPaintMs: paintMs, loginPaintMs: paintMs }
  const context = await freshContext(browser, await signIn(server, url))
  const page = await context.newPage()
  // The audit log has the operator's own sign-in.
  for (const title of lists) figures[`${title} open`] = await openList(page, url, title, false)
  await page.goto(`${plain.url}/rows`)
  const { p95Ms, droppedPercent } = await scrolled(page, 'Rows', scale.uiFrames, 60)
  await context.close()
  return { ...figures, listP95Ms: p95Ms, logP95Ms: p95Ms, listDropped: droppedPercent, logDropped: droppedPercent }
}

/** From another page, with nothing of the list remembered. */
async function openList(page: Page, url: string, title: string, isFilled: boolean): Promise<number> {
  await page.goto(`${url}/about`)
  await page.getByRole('heading', { level: 1, name: 'About' }).waitFor()
  return await opensMs(page, title, isFilled)
}

/** From the last letter to the row of the entry that matches. */
async function filterMs(page: Page): Promise<number> {
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  const field = page.getByLabel('Target', { exact: true })
  await field.fill('target-77')
  const found = page.getByRole('row', { name: /target-77/ })
  await expectOne(found)
  const filtered = filteredMs(page, 'target-777')
  await field.fill('target-777')
  return await filtered
}

const expectOne = async (rows: Locator): Promise<void> => {
  await rows.first().waitFor()
  while ((await rows.count()) !== 1) await rows.page().waitForTimeout(20)
}

/** Each request is a line at the level debug. */
async function writeLog({ endpoint }: OurServer, lines: number): Promise<void> {
  const writers = Array.from({ length: 16 }, async (_, writer) => {
    for (let line = writer; line < lines; line += 16)
      await (await fetch(`http://127.0.0.1:${endpoint.port}/v1/ping`, { headers: endpoint.headers })).arrayBuffer()
  })
  await Promise.all(writers)
}

async function lineMs(page: Page, { endpoint }: OurServer): Promise<number> {
  const took: number[] = []
  for (let n = 0; n < 5; n++) {
    const requestId = `line-${Date.now()}-${n}`
    const begin = performance.now()
    const headers = { ...endpoint.headers, 'x-request-id': requestId }
    await (await fetch(`http://127.0.0.1:${endpoint.port}/v1/ping`, { headers })).arrayBuffer()
    await page.getByText(requestId, { exact: false }).first().waitFor()
    took.push(performance.now() - begin)
  }
  return median(took)
}
