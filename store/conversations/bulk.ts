/** Many conversations organized at once: those that were selected, or those that a filter named when they were counted. */
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import type { Database } from '../database.ts'
import { type ConversationId, uuidOf, type WorkspaceId } from '../id.ts'
import { safeText } from '../postgres/safe-text.ts'
import { allOf, type Fragment, sql } from '../postgres/sql.ts'
import { type ConversationFilter, conditionsOf } from './list.ts'

/** Counting stops here: nobody needs a larger number. */
export const organizedCountMax = 10_000
/** Of one transaction: its rows stay locked until it ends. */
export const organizedMax = 1_000
export const tagsMax = 50

export type ConversationSelection = { ids: readonly ConversationId[] } | { filter: ConversationFilter }

export interface OrganizeChange {
  /** Undefined: stays; null: out of its folder. */
  folder: string | null | undefined
  addTags: readonly string[]
  removeTags: readonly string[]
}

/** `asOf`: when they were counted, by the database's clock. */
export async function countToOrganize(
  db: Database,
  workspace: WorkspaceId,
  selection: ConversationSelection,
  change: OrganizeChange,
): Promise<{ count: number; asOf: Date }> {
  const [row] = await db.forWorkspace(workspace)<{ count: number; asOf: Date }>`
    select now() as "asOf", (
      select count(*)::integer from (
        select from conversations where ${allOf([...selectedBy(workspace, selection), isChangedBy(change)])}
        limit ${organizedCountMax + 1}) as counted) as count`
  if (!row) throw new Error('a count has one row')
  return row
}

/** At most `organizedMax`; none that changed after `asOf`, and none that the change leaves as it is. @returns how many */
export function organizeMany(
  db: Database,
  actor: AuditActor,
  selection: ConversationSelection,
  change: OrganizeChange,
  asOf: Date,
): Promise<number> {
  const { folder } = change
  const addTags = change.addTags.map(safeText)
  const removeTags = change.removeTags.map(safeText)
  return db.transaction(actor.workspaceId, async (query) => {
    const changed = await query<{ id: string }>`
      update conversations set updated_at = now(), tags = ${newTags(addTags, removeTags)},
        folder = case when ${folder !== undefined}::boolean then ${folder ? safeText(folder) : null}::text else folder end
      where id in (
        select id from conversations
        where ${allOf([...selectedBy(actor.workspaceId, selection), isChangedBy(change), sql`updated_at <= ${asOf}`])}
        order by id desc limit ${organizedMax} for update skip locked)
      returning id`
    if (changed.length === 0) return 0
    const after = { conversations: changed.length, ...(folder !== undefined && { folder }), addTags, removeTags }
    await writeAudit(query, { actor, action: 'conversation.organize_many', target: null, summary: { after } })
    return changed.length
  })
}

function selectedBy(workspace: WorkspaceId, selection: ConversationSelection): Fragment[] {
  if ('filter' in selection) return conditionsOf(workspace, selection.filter, null)
  return [...conditionsOf(workspace, {}, null), sql`conversations.id = any(${selection.ids.map(uuidOf)}::uuid[])`]
}

/** The tags that stay, in their order, and behind them the new ones; no more than a conversation may have. */
function newTags(addTags: readonly string[], removeTags: readonly string[]): Fragment {
  return sql`(array(select tag from unnest(tags || array(
      select added from unnest(${addTags}::text[]) as added where not (tags @> array[added]))) with ordinality as t (tag, at)
    where not (tag = any(${removeTags}::text[])) order by at limit ${tagsMax}))`
}

/** Rows that would stay as they are are neither counted nor written. */
function isChangedBy({ folder, addTags, removeTags }: OrganizeChange): Fragment {
  return sql`((${folder !== undefined}::boolean and folder is distinct from ${folder ? safeText(folder) : null}::text)
    or (not tags @> ${addTags.map(safeText)}::text[] and cardinality(tags) < ${tagsMax}::integer)
    or tags && ${removeTags.map(safeText)}::text[])`
}
