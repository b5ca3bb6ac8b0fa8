/** Counts of a workspace for an overview, each bounded, so that it costs the same at a hundred thousand rows as at a hundred million. */
import type { Database } from '../database.ts'
import { openDispositions } from '../deliveries/deliveries.ts'
import { firstUuidAt, uuidOf, type WorkspaceId } from '../id.ts'

/** Rows that one count reads, the newest first: about 20 ms of the database's time. */
export const countedMax = 50_000

export interface Counts {
  conversations: number
  messages: number
  channels: number
  apiKeys: number
  /** By status: turns that were created since `since`. */
  turns: Record<string, number>
  /** By status: all that are open, and those created since `since` that have ended. */
  deliveries: Record<string, number>
  /** Counts that stopped at their bound. */
  atLeast: ('conversations' | 'messages' | 'turns' | 'deliveries')[]
}

interface Row {
  conversations: number
  messages: number
  channels: number
  api_keys: number
  turns: Record<string, number> | null
  open_deliveries: Record<string, number> | null
  ended_deliveries: Record<string, number> | null
}

/** Of API keys it counts those that still work. */
export async function countAll(
  db: Database,
  workspace: WorkspaceId,
  since: Date,
  countMax = countedMax,
): Promise<Counts> {
  const id = uuidOf(workspace)
  const from = firstUuidAt(since.getTime())
  const [row] = await db.forWorkspace(workspace)<Row>`
    select talks.conversations, talks.messages,
      (select count(*)::integer from channels where workspace_id = ${id}::uuid) as channels,
      (select count(*)::integer from api_keys where workspace_id = ${id}::uuid and revoked_at is null
        and (expires_at is null or expires_at > now())) as api_keys,
      (select json_object_agg(status, rows) from (
        select status, count(*)::integer as rows from (
          select status from turns where workspace_id = ${id}::uuid and id >= ${from}::uuid order by id desc limit ${countMax}
        ) as newest group by status) as counted) as turns,
      (select json_object_agg(status, rows) from (
        select status, count(*)::integer as rows from (
          select status from deliveries
          where channel_id in (select id from channels where workspace_id = ${id}::uuid)
            and status in ${openDispositions} limit ${countMax}
        ) as open group by status) as counted) as open_deliveries,
      (select json_object_agg(status, rows) from (
        select status, count(*)::integer as rows from (
          select status from deliveries where workspace_id = ${id}::uuid and id >= ${from}::uuid order by id desc limit ${countMax}
        ) as newest where status in ('delivered', 'undeliverable', 'cancelled') group by status) as counted) as ended_deliveries
    from (
      select count(*)::integer as conversations, coalesce(sum(last_seq), 0)::float8 as messages from (
        select last_seq from conversations where workspace_id = ${id}::uuid order by id desc limit ${countMax}
      ) as newest
    ) as talks`
  if (!row) throw new Error('an overview has one row')
  const turns = row.turns ?? {}
  const open = row.open_deliveries ?? {}
  const ended = row.ended_deliveries ?? {}
  return {
    conversations: row.conversations,
    messages: row.messages,
    channels: row.channels,
    apiKeys: row.api_keys,
    turns,
    deliveries: { ...open, ...ended },
    atLeast: [
      ...(row.conversations >= countMax ? (['conversations', 'messages'] as const) : []),
      ...(sum(turns) >= countMax ? (['turns'] as const) : []),
      ...(sum(open) >= countMax || sum(ended) >= countMax ? (['deliveries'] as const) : []),
    ],
  }
}

const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((total, rows) => total + rows, 0)
