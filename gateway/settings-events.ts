/** Writes an event into the feed whenever settings have changed: one node does it for all. */
import type { Settings } from '../config/settings.ts'
import type { Log } from '../runtime/log/log.ts'
import type { Leases } from '../runtime/nodes/leases.ts'
import type { Database } from '../store/database.ts'
import { defaultWorkspace } from '../store/default-workspace.ts'
import { writeSettingsChanged } from '../store/events/events.ts'

/** Whose slot this is in. */
const slotName = 'settings'

export function writeSettingsEvents(dependencies: {
  settings: Settings
  db: Database
  leases: Leases
  feed: { wake(): void }
  log: Log
}): void {
  const { settings, db, leases, feed, log } = dependencies
  settings.onChange((changed) => {
    const lease = leases.of(slotName)
    if (lease === undefined) return
    const held = { key: slotName, node: leases.node, lease }
    writeSettingsChanged(db, held, defaultWorkspace({ settings }), [...changed]).then(
      () => feed.wake(),
      (error: unknown) => log.warn({ err: error }, 'the event of changed settings was not written'),
    )
  })
}
