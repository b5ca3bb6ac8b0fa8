/**
 * The primary by which the nodes own what they own. After a promotion the new one may not know what the old one granted last:
 * so all leases are new, and none of them equals one of before.
 */
import type { Database } from '../database.ts'
import { sql } from '../postgres/sql.ts'

export interface Primary {
  /** The same for all copies of a cluster. */
  cluster: string
  /** Counts up with each promotion. */
  timeline: number
}

/** More than ever start while a standby is behind. */
const numbersPassedOver = 1_000

/** Whether a statement runs on the primary that has granted all leases; else nothing is granted before `followPrimary`. */
export function isOnKnownPrimary() {
  return sql`exists (
    select from primaries, service_primary() as present
    where primaries.cluster = present.cluster and primaries.timeline = present.timeline)`
}

/**
 * Where the server has been promoted since anybody has looked: every lease gets a number that no earlier primary has given,
 * whoever lived goes on to live, and numbers of nodes go on above those that may have been given. Of several that notice it,
 * one does this.
 */
export async function followPrimary(db: Database, leaseMs: number): Promise<void> {
  await db.system`
    with present as (select cluster, timeline from service_primary()), changed as (
      update primaries set cluster = present.cluster, timeline = present.timeline,
        generation = generation + case when primaries.cluster is null then 0 else 1 end
      from present
      where (primaries.cluster, primaries.timeline) is distinct from (present.cluster, present.timeline)
      returning generation
    ), renewed as (
      update slots set lease_epoch = (generation::bigint << 32) + (lease_epoch & 4294967295) + 1
      from changed where generation > 0
    ), living as (
      update instances set expires_at = clock_timestamp() + make_interval(secs => ${leaseMs / 1_000})
      from changed where generation > 0 and stopped_at is null and lost_at is null and expires_at is not null
    )
    select setval('instances_epoch_seq', nextval('instances_epoch_seq') + ${numbersPassedOver}::int)
    from changed where generation > 0`
}
