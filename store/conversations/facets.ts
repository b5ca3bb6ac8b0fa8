/** How many conversations each channel, folder and tag has: what a list can be narrowed to. */
import type { Database } from '../database.ts'
import type { WorkspaceId } from '../id.ts'
import { allOf, type Fragment, sql } from '../postgres/sql.ts'
import { type ConversationFilter, conditionsOf } from './list.ts'

/** Of each facet the most frequent values. */
export const facetValuesMax = 50
/** Only so many of the newest conversations are counted. */
export const facetScanMax = 100_000

export interface FacetValue {
  value: string
  count: number
}

export type ConversationFacets = Record<'channel' | 'folder' | 'tag', FacetValue[]>

/** Each facet's counts are under the other filters: what choosing another value of it would give. */
export async function conversationFacets(
  db: Database,
  workspace: WorkspaceId,
  filter: ConversationFilter,
): Promise<ConversationFacets> {
  const counted = (without: keyof ConversationFacets, from: Fragment): Promise<FacetValue[]> => {
    const conditions = allOf(conditionsOf(workspace, { ...filter, [without]: undefined }, null))
    return db.forWorkspace(workspace)<FacetValue>`
      select value, count(*)::integer as count from (
        select channel_id, folder, tags from conversations where ${conditions} order by id desc limit ${facetScanMax}
      ) as scanned ${from}
      group by value order by count desc, value limit ${facetValuesMax}`
  }
  const [channel, folder, tag] = await Promise.all([
    counted('channel', sql`join (select id, name as value from channels) as channel on channel.id = channel_id`),
    counted('folder', sql`cross join lateral (select folder as value) as filed where folder is not null`),
    counted('tag', sql`cross join lateral unnest(tags) as value`),
  ])
  return { channel, folder, tag }
}
