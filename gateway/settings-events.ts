/** Writes an event into the feed whenever settings have changed. */
import type { Settings } from '../config/settings.ts'
import type { Log } from '../runtime/log/log.ts'
import type { Database } from '../store/database.ts'
import { defaultWorkspace } from '../store/default-workspace.ts'
import { writeSettingsChanged } from '../store/events/events.ts'

export function writeSettingsEvents(dependencies: {
  settings: Settings
  db: Database
  feed: { wake(): void }
  log: Log
}): void {
  const { settings, db, feed, log } = dependencies
  settings.onChange((changed) => {
    writeSettingsChanged(db, defaultWorkspace({ settings }), [...changed]).then(
      () => feed.wake(),
      (error: unknown) => log.warn({ err: error }, 'the event of changed settings was not written'),
    )
  })
}
