/** Who asked for turns and who answered, by their names of today: the key, the channel, and the agent where it still exists. */
import type { Database } from '../database.ts'
import { type AgentId, type ApiKeyId, idFrom, type OperatorId, type TurnId, uuidOf, type WorkspaceId } from '../id.ts'

export interface TurnSource {
  key: { id: ApiKeyId; name: string } | null
  /** The name of its channel. */
  channel: string | null
  agentId: AgentId | null
  operatorId: OperatorId | null
}

/** Of those of the turns that the workspace has. */
export async function turnSources(
  db: Database,
  workspace: WorkspaceId,
  ids: readonly TurnId[],
): Promise<ReadonlyMap<TurnId, TurnSource>> {
  if (ids.length === 0) return new Map()
  const rows = await db.forWorkspace(workspace)<{
    id: string
    key: string | null
    keyName: string | null
    channel: string | null
    agent: string | null
    operator: string | null
  }>`
    select turns.id, api_keys.id as key, api_keys.name as "keyName", channels.name as channel, agents.id as agent, turns.operator_id as operator
    from turns
    left join api_keys on api_keys.id = turns.api_key_id
    left join channels on channels.id = turns.channel_id
    left join agents on agents.workspace_id = turns.workspace_id and agents.name = turns.agent and agents.deleted_at is null
    where turns.id = any(${ids.map(uuidOf)}::uuid[])`
  return new Map(rows.map((row) => [idFrom('turn', row.id), sourceOf(row)]))
}

function sourceOf(row: {
  key: string | null
  keyName: string | null
  channel: string | null
  agent: string | null
  operator: string | null
}): TurnSource {
  const key = row.key === null || row.keyName === null ? null : { id: idFrom('key', row.key), name: row.keyName }
  return { key, channel: row.channel, agentId: idFrom('agent', row.agent), operatorId: idFrom('oper', row.operator) }
}

/** Of the turns those that an operator began in the sender's place, and which one; null: not known any more. */
export async function turnsOfOperators(
  db: Database,
  workspace: WorkspaceId,
  ids: readonly TurnId[],
): Promise<ReadonlyMap<TurnId, OperatorId | null>> {
  if (ids.length === 0) return new Map()
  const rows = await db.forWorkspace(workspace)<{ id: string; operator: string | null }>`
    select id, operator_id as operator from turns where id = any(${ids.map(uuidOf)}::uuid[]) and origin = 'admin'`
  return new Map(rows.map(({ id, operator }) => [idFrom('turn', id), idFrom('oper', operator)]))
}
