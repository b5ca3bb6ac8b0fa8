/**
 * The mark of the sums counts transactions of one cluster. A database that was loaded into another, from a dump, has a mark that its
 * transactions come to late or never, and new entries would lie before it: they would be in no sum.
 */
import type { Database } from '../database.ts'
import { sql } from '../postgres/sql.ts'
import { markSlack } from './dimensions.ts'

/** Older than every transaction of an entry. */
const earliest = sql`'3'::xid8`

/**
 * Before anything is counted: entries that are in the sums stay so, the others are added. Of several nodes one does it.
 * @returns whether the mark was of another cluster
 */
export async function mendMark(db: Database): Promise<boolean> {
  return await db.transaction('system', async (query) => {
    const [mark] = await query<{ xid: string }>`
      select xid::text as xid from usage_mark where xid > pg_snapshot_xmax(pg_current_snapshot()) for update`
    if (!mark) return false
    // None that is older is read again, whatever its transaction.
    await query`
      update usage_entries set xid = case when xid < ${mark.xid}::text::xid8 then ${earliest} else pg_current_xact_id() end
      where at > (select at from usage_mark) - ${markSlack}`
    await query`
      update usage_mark set xid = pg_current_xact_id(), seen_xid = pg_current_xact_id(), seen_at = now()`
    return true
  })
}
