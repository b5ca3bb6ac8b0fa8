/** Many conversations put in order at once: those that were picked, or that a filter names and that were there when it was counted. */
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import type { Database } from '../database.ts'
import { type ConversationId, uuidOf, type WorkspaceId } from '../id.ts'
import { safeText } from '../postgres/safe-text.ts'
import { allOf, type Fragment, run, sql } from '../postgres/statement.ts'
import { type ConversationFilter, conditionsOf } from './list.ts'

/** Counting goes this far: beyond it nobody needs the number. */
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
  chosen: ConversationSelection,
  order: OrganizeChange,
): Promise<{ count: number; asOf: Date }> {
  const [row] = await run<{ count: number; as_of: Date }>(
    db.forWorkspace(workspace),
    sql`select now() as as_of, (select count(*)::integer from (select from conversations where `,
    allOf([...chosenBy(workspace, chosen), differsFrom(order)]),
    sql` limit ${organizedCountMax + 1}) as counted) as count`,
  )
  if (!row) throw new Error('a count has one row')
  return { count: row.count, asOf: row.as_of }
}

/** At most `organizedMax`; none that changed after `asOf`, and none that is in this order already. @returns how many */
export function organizeMany(
  db: Database,
  actor: AuditActor,
  chosen: ConversationSelection,
  order: OrganizeChange,
  asOf: Date,
): Promise<number> {
  const { folder } = order
  const [add, remove] = [order.addTags.map(safeText), order.removeTags.map(safeText)]
  return db.transaction(actor.workspaceId, async (query) => {
    const changed = await run<{ id: string }>(
      query,
      sql`
        update conversations set updated_at = now(),
          folder = case when ${folder !== undefined}::boolean then ${folder ? safeText(folder) : null}::text else folder end,
          tags = `,
      newTags(add, remove),
      sql` where id in (select id from conversations where `,
      allOf([...chosenBy(actor.workspaceId, chosen), differsFrom(order), sql`updated_at <= ${asOf}`]),
      sql` order by id desc limit ${organizedMax} for update skip locked) returning id`,
    )
    if (changed.length === 0) return 0
    const after = {
      conversations: changed.length,
      ...(folder !== undefined && { folder }),
      addTags: add,
      removeTags: remove,
    }
    await writeAudit(query, { actor, action: 'conversation.organize_many', target: null, summary: { after } })
    return changed.length
  })
}

function chosenBy(workspace: WorkspaceId, chosen: ConversationSelection): Fragment[] {
  if ('filter' in chosen) return conditionsOf(workspace, chosen.filter, null)
  return [...conditionsOf(workspace, {}, null), sql`conversations.id = any(${chosen.ids.map(uuidOf)}::uuid[])`]
}

/** The tags that stay, in their order, and behind them the new ones; no more than a conversation may have. */
function newTags(add: readonly string[], remove: readonly string[]): Fragment {
  return sql`(array(select tag from unnest(tags || array(
      select added from unnest(${add}::text[]) as added where not (tags @> array[added]))) with ordinality as t (tag, at)
    where not (tag = any(${remove}::text[])) order by at limit ${tagsMax}))`
}

/** Rows that would stay as they are are neither counted nor written. */
function differsFrom({ folder, addTags, removeTags }: OrganizeChange): Fragment {
  const [add, remove] = [addTags.map(safeText), removeTags.map(safeText)]
  return sql`((${folder !== undefined}::boolean and folder is distinct from ${folder ? safeText(folder) : null}::text)
    or (not tags @> ${add}::text[] and cardinality(tags) < ${tagsMax}::integer) or tags && ${remove}::text[])`
}
