/** Sessions that end while a page is open. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { UiUnderTest } from './signed-in.ts'

/** Of the page that is open. */
const moments = {
  saving: { method: 'POST', path: '**/v1/admin/settings' },
  listingKeys: { method: 'GET', path: '**/v1/admin/apikeys?*' },
  signingOut: { method: 'POST', path: '**/v1/admin/auth/logout' },
} as const

/**
 * Ends the sessions of all operators at the moment of this request, before the service gets it: the page would notice an earlier
 * end by itself, and cover with its question what is to be clicked.
 */
export async function endSessionsAt(moment: keyof typeof moments, ui: UiUnderTest, page: Page): Promise<void> {
  const { method, path } = moments[moment]
  let haveEnded = false
  await page.route(path, async (route) => {
    if (!haveEnded && route.request().method() === method) {
      haveEnded = true
      await endSessions(ui)
    }
    await route.fallback()
  })
}

async function endSessions(ui: UiUnderTest): Promise<void> {
  await ui.service.db.system`update operator_sessions set revoked_at = now()`
  await ui.service.db.system`select pg_notify('service_changes', 'sessions')`
  await expect.poll(async () => (await ui.owner.get('/v1/admin/auth/session')).status).toBe(401)
}
