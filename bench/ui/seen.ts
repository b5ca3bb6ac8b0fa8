/** What a person sees, timed in the page itself: the first paint, a list after a click, frames while it scrolls. */
import type { BrowserContext, Page } from 'playwright-core'
import { median, percentile } from '../statistics.ts'

const waitMs = 20_000
/** A frame on a screen of 60 a second, and a bit: what takes longer has left one out. */
const droppedMs = 33

type OpenContext = () => Promise<BrowserContext>

/** From the navigation to the first text or picture on the screen. */
export function firstPaintMs(openContext: OpenContext, url: string): Promise<number> {
  return coldMs(
    openContext,
    url,
    `new Promise((resolve) =>
      new PerformanceObserver((list, observer) => {
        const paint = list.getEntriesByName('first-contentful-paint')[0]
        if (!paint) return
        observer.disconnect()
        resolve(paint.startTime)
      }).observe({ type: 'paint', buffered: true }))`,
  )
}

/** From the navigation to the frame that has the overview's figures. */
export function overviewMs(openContext: OpenContext, url: string): Promise<number> {
  return coldMs(
    openContext,
    url,
    `new Promise((resolve) => {
      const checkPage = () => {
        const isShown = document.querySelector('main a[href="/conversations"]')
        requestAnimationFrame(isShown ? () => resolve(performance.now()) : checkPage)
      }
      checkPage()
    })`,
  )
}

/** What the page says of itself, in a new context each time; median of seven. */
async function coldMs(openContext: OpenContext, url: string, seen: string): Promise<number> {
  const found: number[] = []
  for (let visit = 0; visit < 7; visit++) {
    const context = await openContext()
    const page = await context.newPage()
    await page.goto(url)
    found.push(await page.evaluate<number>(seen))
    await context.close()
  }
  return median(found)
}

/** From the click on the menu to the frame that has the list: its rows, or the word that there are none. */
export function opensMs(page: Page, title: string, isFilled: boolean): Promise<number> {
  const rows = isFilled ? `document.querySelector('main [role=row][aria-rowindex="3"]')` : 'true'
  return page.evaluate<number>(`new Promise((resolve, reject) => {
    const link = [...document.querySelectorAll('nav a')].find((one) => one.textContent.trim() === '${title}')
    if (!link) return reject(new Error('there is no ${title} in the menu'))
    const begin = performance.now()
    const checkPage = () => {
      const isShown = document.querySelector('h1')?.textContent === '${title}' && ${rows} &&
        !document.querySelector('main [aria-busy=true], main .mantine-Skeleton-root')
      // The frame in which it is found is on the screen when the next one begins.
      if (isShown) requestAnimationFrame(() => resolve(performance.now() - begin))
      else if (performance.now() - begin > ${waitMs}) reject(new Error('${title} did not show'))
      else requestAnimationFrame(checkPage)
    }
    link.click()
    checkPage()
  })`)
}

/** From what is typed next to the frame that has a row with these words. */
export function filteredMs(page: Page, words: string): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    addEventListener('input', () => {
      const begin = performance.now()
      const checkPage = () => {
        const isShown = [...document.querySelectorAll('main [role=row]')].some((row) => row.textContent.includes('${words}'))
        requestAnimationFrame(isShown ? () => resolve(performance.now() - begin) : checkPage)
      }
      checkPage()
    }, { once: true, capture: true })
  })`)
}

export interface Frames {
  p95Ms: number
  /** Of a hundred. */
  droppedPercent: number
}

/** Scrolls a list by some pixels each frame. @throws when it moves less than a quarter of that way */
export async function scrolled(page: Page, label: string, frames: number, pixels: number): Promise<Frames> {
  const { gaps, way } = await page.evaluate<{ gaps: number[]; way: number }>(`new Promise((resolve, reject) => {
    const list = document.querySelector('section[aria-label="${label}"]')
    if (!list) return reject(new Error('there is no list ${label}'))
    const from = list.scrollTop
    const gaps = []
    let before
    const frame = (now) => {
      if (before !== undefined) gaps.push(now - before)
      before = now
      list.scrollTop += ${pixels}
      if (gaps.length < ${frames}) requestAnimationFrame(frame)
      else resolve({ gaps, way: Math.abs(list.scrollTop - from) })
    }
    requestAnimationFrame(frame)
  })`)
  // A list that stood still is smooth, too.
  if (way < (frames * Math.abs(pixels)) / 4) throw new Error(`${label} scrolled ${way} pixels only`)
  const dropped = gaps.filter((gap) => gap > droppedMs).length
  return { p95Ms: percentile(gaps, 95), droppedPercent: (dropped / gaps.length) * 100 }
}

/** Goes to the end of what is loaded, again and again: from each jump to the rows of the next page, median. */
export function nextPageMs(page: Page, label: string, pages: number): Promise<number> {
  return page
    .evaluate<number[]>(`new Promise((resolve, reject) => {
      const list = document.querySelector('section[aria-label="${label}"]')
      if (!list) return reject(new Error('there is no list ${label}'))
      const took = []
      const jump = () => {
        const begin = performance.now()
        const before = list.scrollHeight
        list.scrollTop = before
        const checkPage = () => {
          if (list.scrollHeight > before) {
            took.push(performance.now() - begin)
            if (took.length < ${pages}) requestAnimationFrame(jump)
            else resolve(took)
          } else if (performance.now() - begin > ${waitMs}) reject(new Error('no further page came'))
          else requestAnimationFrame(checkPage)
        }
        requestAnimationFrame(checkPage)
      }
      jump()
    })`)
    .then(median)
}
