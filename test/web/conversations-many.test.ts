/** A hundred thousand conversations: the list opens at once and scrolls without stumbling. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { firstWorkspaceId, uuidOf } from '../../src/store/id.ts'
import { chromiumPath } from './support/chromium.ts'
import { type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

const conversations = 100_000

/** The goals are 300 ms and no slow frame, on a machine of one's own; these hold where others share it. */
const opensMsMax = 1_500
const slowFramesMax = 0.8

/** Runs in the page: scrolls by a step a frame, and says how long each frame took. */
const scrolled = `new Promise((resolve, reject) => {
  const scroller = document.querySelector('section[aria-label="Conversations"]')
  if (!scroller) return reject(new Error('there is no list to scroll'))
  const frames = []
  let last = performance.now()
  const frame = (now) => {
    frames.push(now - last)
    last = now
    scroller.scrollTop += 60
    if (frames.length < 180) requestAnimationFrame(frame)
    else resolve({ frames: frames.slice(1), top: scroller.scrollTop })
  }
  requestAnimationFrame(frame)
})`

describe.skipIf(chromiumPath === undefined)('a hundred thousand conversations', () => {
  let ui: UiUnderTest
  beforeAll(async () => {
    ui = await uiUnderTest()
    const { system } = ui.service.db
    await system`
      insert into conversations (id, workspace_id, title, last_seq, created_at, updated_at, folder, tags)
      select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || right(md5(n::text), 19))::uuid,
        ${uuidOf(firstWorkspaceId)}::uuid, 'talk ' || n, 2, at, at, 'folder ' || n % 7, array['tag ' || n % 5]
      from (select n, now() - (${conversations}::integer - n) * interval '1 minute' as at
        from generate_series(1, ${conversations}::integer) as n) as made`
  }, 60_000)
  afterAll(() => ui?.stop())

  it('open as a list at once, and scroll page by page without stumbling', async () => {
    const { page, troubles, close } = await ui.open('/')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    let opensMs = Number.POSITIVE_INFINITY
    for (let round = 0; round < 2; round++) {
      await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click()
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      const begin = performance.now()
      await page.getByRole('navigation').getByRole('link', { name: 'Conversations', exact: true }).click()
      await page.getByText(`talk ${conversations}`, { exact: true }).waitFor()
      opensMs = Math.min(opensMs, performance.now() - begin)
      // What a page remembers would open faster than what it asks for.
      if (round < 1) await page.reload()
    }
    const { frames, top } = await page.evaluate<{ frames: number[]; top: number }>(scrolled)
    const slow = frames.filter((ms) => ms > 33)
    const worst = Math.max(...frames)
    console.info(
      `the list of ${conversations}: opens in ${opensMs.toFixed(0)} ms; ${slow.length} of ${frames.length} frames over 33 ms, the worst ${worst.toFixed(0)} ms`,
    )
    expect(opensMs).toBeLessThan(opensMsMax)
    expect(top).toBeGreaterThan(2_000)
    expect(slow.length).toBeLessThan(frames.length * slowFramesMax)
    expect(await page.getByRole('row').count()).toBeLessThan(80)
    expect(troubles).toEqual([])
    await close()
  }, 60_000)
})
