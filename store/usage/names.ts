/** Names of what usage is grouped by, where it is grouped by ids. */
import type { Database } from '../database.ts'
import { uuidOf, type WorkspaceId } from '../id.ts'
import { type Fragment, sql } from '../postgres/sql.ts'
import type { GroupBy } from './analytics.ts'

const tables: Partial<Record<GroupBy, Fragment>> = {
  key: sql`select id, name from api_keys`,
  channel: sql`select id, name from channels`,
}

/** By UUID without hyphens; what is deleted has none. */
export async function namesOf(
  db: Database,
  workspace: WorkspaceId,
  groupBy: GroupBy,
  values: readonly string[],
): Promise<Map<string, string>> {
  const ids = values.filter((value) => value !== '')
  const rows = (text: Fragment, of: 'tenant' | 'system') => {
    const query = of === 'system' ? db.system : db.forWorkspace(workspace)
    return query<{ id: string; name: string }>`
      select replace(id::text, '-', '') as id, name from (${text}) as named where id = any(${ids}::uuid[])`
  }
  const table = tables[groupBy]
  if (ids.length === 0) return new Map()
  if (table) return mapOf(await rows(table, 'tenant'))
  if (groupBy === 'workspace') return mapOf(await rows(sql`select id, name from workspaces`, 'system'))
  if (groupBy !== 'operator') return new Map()
  // Only people of this workspace have a name here.
  const members = sql`select operators.id, login as name from operators
    where exists (select from operator_roles where operator_id = operators.id and workspace_id = ${uuidOf(workspace)}::uuid)`
  return mapOf(await rows(members, 'system'))
}

const mapOf = (rows: readonly { id: string; name: string }[]) => new Map(rows.map(({ id, name }) => [id, name]))
