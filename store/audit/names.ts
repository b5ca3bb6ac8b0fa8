/** Names of those who act and of what they act on, where it still exists: of a whole page in two statements. */
import type { Database } from '../database.ts'
import { uuidOf, type WorkspaceId } from '../id.ts'
import { sql } from '../postgres/sql.ts'
import type { AuditRecord } from './list.ts'

/** By id. A turn has the title of its conversation, an approval its tool, a session the login of its operator. */
export type AuditNames = ReadonlyMap<string, string>

const kinds = ['key', 'agent', 'chan', 'conv', 'turn', 'sub', 'appr', 'oper', 'sess', 'ws'] as const
/** Behind the id of a channel stands whom a binding is of. */
const anId = new RegExp(`^(${kinds.join('|')})_([0-9a-f]{32})(?:/|$)`)

export async function auditNames(
  db: Database,
  workspace: WorkspaceId,
  entries: readonly Pick<AuditRecord, 'actor' | 'target'>[],
): Promise<AuditNames> {
  const uuids = Object.fromEntries(kinds.map((kind) => [kind, [] as string[]])) as Record<
    (typeof kinds)[number],
    string[]
  >
  for (const text of new Set(entries.flatMap(({ actor, target }) => [actor, target ?? '']))) {
    const [, kind, uuid] = anId.exec(text) ?? []
    if (kind && uuid) uuids[kind as (typeof kinds)[number]].push(uuid)
  }
  const has = (...of: (keyof typeof uuids)[]) => of.some((kind) => uuids[kind].length > 0)
  const here = uuidOf(workspace)
  const isMember = sql`exists (select from operator_roles where operator_id = operators.id and workspace_id = ${here}::uuid)`
  const [own, others] = await Promise.all([
    !has('key', 'agent', 'chan', 'conv', 'turn', 'sub', 'appr')
      ? []
      : db.forWorkspace(workspace)<Named>`
          select 'key' as kind, id, name from api_keys where workspace_id = ${here} and id = any(${uuids.key}::uuid[])
          union all select 'agent', id, name from agents where workspace_id = ${here} and id = any(${uuids.agent}::uuid[])
          union all select 'chan', id, name from channels where workspace_id = ${here} and id = any(${uuids.chan}::uuid[])
          union all select 'conv', id, title from conversations
            where workspace_id = ${here} and id = any(${uuids.conv}::uuid[])
          union all select 'turn', turns.id, title from turns join conversations on conversations.id = turns.conversation_id
            where turns.workspace_id = ${here} and turns.id = any(${uuids.turn}::uuid[])
          union all select 'sub', id, name from subscriptions where workspace_id = ${here} and id = any(${uuids.sub}::uuid[])
          union all select 'appr', id, tool from approvals where workspace_id = ${here} and id = any(${uuids.appr}::uuid[])`,
    // Only people of this workspace have a name here.
    !has('oper', 'sess', 'ws')
      ? []
      : db.system<Named>`
          select 'oper' as kind, id, login as name from operators where id = any(${uuids.oper}::uuid[]) and ${isMember}
          union all select 'sess', operator_sessions.id, login from operator_sessions
            join operators on operators.id = operator_sessions.operator_id
            where operator_sessions.id = any(${uuids.sess}::uuid[]) and ${isMember}
          union all select 'ws', id, name from workspaces where id = any(${uuids.ws}::uuid[])`,
  ])
  return new Map(
    [...own, ...others].flatMap(({ kind, id, name }) => (name ? [[`${kind}_${id.replaceAll('-', '')}`, name]] : [])),
  )
}

interface Named {
  kind: string
  id: string
  name: string | null
}
