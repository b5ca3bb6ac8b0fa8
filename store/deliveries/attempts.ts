/** The end of what is kept of attempts to deliver. */
import type { Database } from '../database.ts'
import { firstUuidAt } from '../id.ts'
import { type HeldKey, isHeld } from '../nodes/slots.ts'

/**
 * Those made before `before`, at most `limit`. By the key, since no index has their times: deliveries of interim messages, whose
 * identifiers have no time, are found where they happen to be small. @returns how many
 */
export async function deleteAttempts(db: Database, held: HeldKey, before: Date, limit: number): Promise<number> {
  const rows = await db.system`
    delete from delivery_attempts where (delivery_id, attempt) in (
      select delivery_id, attempt from delivery_attempts
      where ${isHeld(held)} and delivery_id < ${firstUuidAt(before.getTime())}::uuid and at < ${before} limit ${limit})
    returning attempt`
  return rows.length
}
