/** Deletes what nobody needs: uploads that never ended with their parts, files that became old, and bytes that nothing uses. */
import type { Database } from '../database.ts'
import type { Blobs } from './blobs.ts'
import { deleteOldMedia, deleteUnusedBlob, mediaLimits, pendingOf } from './media.ts'

const hourMs = 3_600_000
/** Whoever reads a file that is deleted meanwhile has begun to. */
const unusedMs = 60_000
/** Of one statement. */
const rowsMax = 500
/** Of one run; the next follows soon. */
const roundsMax = 100

export interface Swept {
  media: number
  blobs: number
  parts: number
}

/** @param retentionMs of files that nothing uses; 0: they are kept */
export async function sweepMedia(
  db: Database,
  blobs: Blobs,
  { nowMs, retentionMs, signal }: { nowMs: number; retentionMs: number; signal: AbortSignal },
): Promise<Swept> {
  const swept: Swept = { media: 0, blobs: 0, parts: 0 }
  const old = {
    pendingBefore: new Date(nowMs - mediaLimits.pendingHours * hourMs),
    readyBefore: retentionMs > 0 ? new Date(nowMs - retentionMs) : null,
    rowsMax,
  }
  for (let round = 0; round < roundsMax && !signal.aborted; round++) {
    const rows = await deleteOldMedia(db, old)
    swept.media += rows
    if (rows < rowsMax) break
  }
  for (let round = 0; round < rowsMax && !signal.aborted; round++) {
    if (!(await deleteUnusedBlob(db, new Date(nowMs - unusedMs), blobs.remove))) break
    swept.blobs++
  }
  swept.parts = await sweepParts(db, blobs, nowMs - hourMs, signal)
  return swept
}

/** Parts whose upload has ended, here or elsewhere. */
async function sweepParts(db: Database, blobs: Blobs, idleBeforeMs: number, signal: AbortSignal): Promise<number> {
  let parts = 0
  let names: string[] = []
  for await (const name of blobs.idleParts(idleBeforeMs)) {
    names.push(name)
    if (signal.aborted) return parts
    if (names.length < rowsMax) continue
    parts += await dropEnded(db, blobs, names)
    names = []
  }
  return parts + (await dropEnded(db, blobs, names))
}

async function dropEnded(db: Database, blobs: Blobs, names: readonly string[]): Promise<number> {
  if (names.length === 0) return 0
  const uploadOf = (name: string): string => name.split('.', 1)[0] ?? ''
  const pending = await pendingOf(db, names.map(uploadOf))
  const ended = names.filter((name) => !pending.has(uploadOf(name)))
  for (const name of ended) await blobs.dropPart(name)
  return ended.length
}
