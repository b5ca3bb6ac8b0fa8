/**
 * Turns in the order of a figure, the most first: the slowest, the costliest. No index has these orders, since each would slow
 * down every turn that is written; so the newest turns of a period are put in order for each page, a bounded number of them.
 */
import type { Database } from '../database.ts'
import { type RowOf, type TurnId, uuidOf, type WorkspaceId } from '../id.ts'
import { allOf, type Fragment, sql } from '../postgres/sql.ts'
import { conditionsOf, rangeOf, type TurnFilter, type TurnRecord, turnColumns, turnOf } from './list.ts'

export const turnFigures = ['duration', 'first_token', 'tokens', 'cost'] as const
export type TurnFigure = (typeof turnFigures)[number]

/** Only so many of the newest turns of the period are put in order. */
export const orderedTurnsMax = 50_000

/** A place in such a list, exclusive. Turns without the figure are behind all others, at -1. */
export interface FigurePlace {
  value: number
  id: TurnId
}

const values: Record<TurnFigure, Fragment> = {
  duration: sql`coalesce(duration_ms, -1)::double precision`,
  first_token: sql`coalesce(time_to_first_token_ms, -1)::double precision`,
  tokens: sql`(coalesce(prompt_tokens, -1) + coalesce(completion_tokens, 0))::double precision`,
  cost: sql`coalesce(cost_micro, -1)::double precision`,
}

export async function turnsByFigure(
  db: Database,
  workspace: WorkspaceId,
  filter: TurnFilter,
  page: { figure: TurnFigure; after: FigurePlace | null; limit: number },
): Promise<{ turns: TurnRecord[]; next: FigurePlace | null }> {
  const value = values[page.figure]
  const conditions = conditionsOf(filter)
  if (page.after)
    conditions.push(sql`(${value}, id) < (${page.after.value}::double precision, ${uuidOf(page.after.id)}::uuid)`)
  const rows = await db.forWorkspace(workspace)<RowOf<TurnRecord> & { value: number }>`
    select ${turnColumns}, ${value} as value from (
      select * from turns where ${allOf(rangeOf(workspace, filter, null))} order by id desc limit ${orderedTurnsMax}
    ) as scanned
    where ${allOf(conditions)} order by value desc, id desc limit ${page.limit + 1}`
  const turns = rows.slice(0, page.limit).map(({ value: _value, ...row }) => turnOf(row as RowOf<TurnRecord>))
  const last = turns.at(-1)
  const isMore = rows.length > page.limit
  return { turns, next: isMore && last ? { value: rows[page.limit - 1]?.value ?? -1, id: last.id } : null }
}
