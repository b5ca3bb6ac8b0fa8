/** Deletes files that became old and bytes that nothing uses. What it deletes may be deleted twice, so it needs no lease. */
import type { Settings } from '../../config/settings.ts'
import type { Log } from '../../runtime/log/log.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { minutes } from '../../runtime/time/duration.ts'
import type { Database } from '../../store/database.ts'
import type { Blobs } from '../../store/media/blobs.ts'
import { sweepMedia } from '../../store/media/sweep.ts'
import type { MaintenanceTask } from './task.ts'

const dayMs = 86_400_000

export function mediaSweep(dependencies: {
  db: Database
  blobs: Blobs
  settings: Settings
  clock: Clock
  log: Log
}): MaintenanceTask {
  const { db, blobs, settings, clock, log } = dependencies
  return {
    name: 'media',
    isForAll: true,
    intervalMs: minutes(1),
    async run(signal) {
      const retentionMs = settings.get('SERVICE_MEDIA_RETENTION_DAYS') * dayMs
      const swept = await sweepMedia(db, blobs, { nowMs: clock.now(), retentionMs, signal })
      if (swept.media + swept.blobs + swept.parts > 0) log.debug(swept, 'old files were deleted')
    },
  }
}
