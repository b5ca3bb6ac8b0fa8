/** Sessions that end while a page is open. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { UiUnderTest } from './signed-in.ts'

/** Ends the sessions of all operators, and waits until the service refuses them. */
export async function endSessions(ui: UiUnderTest): Promise<void> {
  await ui.service.db.system`update operator_sessions set revoked_at = now()`
  await ui.service.db.system`select pg_notify('service_changes', 'sessions')`
  await expect.poll(async () => (await ui.owner.get('/v1/admin/auth/session')).status).toBe(401)
}

/** Ends them at the moment of saving the settings: the page would notice an earlier end by itself, and cover the button. */
export async function endSessionsAtSaving(ui: UiUnderTest, page: Page): Promise<void> {
  let haveEnded = false
  await page.route('**/v1/admin/settings', async (route) => {
    if (!haveEnded && route.request().method() === 'POST') {
      haveEnded = true
      await endSessions(ui)
    }
    await route.fallback()
  })
}
