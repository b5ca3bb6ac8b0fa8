/** When API keys were last used. */
import type { Database } from '../database.ts'
import { type ApiKeyId, uuidOf } from '../id.ts'

export interface KeyUse {
  id: ApiKeyId
  at: Date
}

/** Stores when keys were used: once a minute for each at most, however many processes report it. */
export async function recordKeyUses(db: Database, uses: readonly KeyUse[]): Promise<void> {
  // Locked in one order, whatever the plan: two processes that write at once must not deadlock.
  await db.system`
    with use as (
      select id, at from unnest(${uses.map(({ id }) => uuidOf(id))}::uuid[], ${uses.map(({ at }) => at)}::timestamptz[]) as use (id, at)
    ), due as (
      select api_keys.id, use.at from api_keys join use using (id)
      where used_at is null or used_at <= use.at - interval '1 minute'
      order by api_keys.id for update of api_keys
    )
    update api_keys set used_at = due.at from due where api_keys.id = due.id`
}
