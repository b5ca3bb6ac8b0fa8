/** What a person needs to decide: who asked, what was said before it, and what was decided in like cases. */
import { bodyPreview, previewLengthMax } from '../conversations/body-preview.ts'
import type { Database } from '../database.ts'
import { type ConversationId, idFrom, type TurnId, uuidOf, type WorkspaceId } from '../id.ts'
import type { OwnerId } from '../owner-id.ts'
import { sql } from '../postgres/sql.ts'
import type { TurnOrigin } from '../turns/origin.ts'

export interface Asker {
  origin: TurnOrigin
  conversationId: ConversationId | null
  title: string | null
  /** Names. Null: it came another way. */
  channel: string | null
  sender: string | null
  senderName: string | null
  apiKey: string | null
  /** Of the conversation. */
  owner: OwnerId | null
  /** The newest messages up to the question, oldest first; `operator`: what one wrote in the sender’s place. */
  said: { role: 'user' | 'assistant' | 'operator'; text: string }[]
}

const saidMax = 3
/** Behind the place of the question, where a turn knows it, nothing led to it. */
const newestMax = 20

export async function askersOf(
  db: Database,
  workspace: WorkspaceId,
  turns: readonly TurnId[],
): Promise<ReadonlyMap<TurnId, Asker>> {
  if (turns.length === 0) return new Map()
  const rows = await db.forWorkspace(workspace)<
    { id: string; conversation: string | null } & Omit<Asker, 'conversationId'>
  >`
    select turns.id, turns.origin, turns.conversation_id as conversation, nullif(conversations.title, '') as title,
      channels.name as channel, conversations.external_id as sender, said.name as "senderName", conversations.owner,
      api_keys.name as "apiKey", coalesce(said.messages, '[]') as said
    from turns
    left join conversations on conversations.id = turns.conversation_id
    left join channels on channels.id = turns.channel_id
    left join api_keys on api_keys.id = turns.api_key_id
    left join lateral (
      select json_agg(json_build_object('text', text, 'role', case
          when role = 'user' and exists (select from turns as own where own.id = said.turn_id and own.origin = 'admin') then 'operator'
          else role end) order by seq) as messages,
        (array_agg(name order by seq desc) filter (where name is not null))[1] as name
      from (
        select seq, turn_id, role, text, name from (
          select seq, turn_id, role, ${bodyPreview(sql`body`)} as text, left(body ->> 'name', ${previewLengthMax}::integer) as name
          from messages
          where conversation_id = turns.conversation_id and superseded_by is null and (turns.seq is null or seq <= turns.seq)
          order by seq desc limit ${newestMax}
        ) as newest
        where text is not null and role in ('user', 'assistant') order by seq desc limit ${saidMax}
      ) as said
    ) as said on true
    where turns.id = any(${turns.map(uuidOf)}::uuid[])`
  return new Map(
    rows.map(({ id, conversation, ...asker }) => [
      idFrom('turn', id),
      { ...asker, conversationId: idFrom('conv', conversation) },
    ]),
  )
}

export interface Precedents {
  approved: number
  refused: number
  /** The newest first. */
  newest: { status: 'approved' | 'refused'; by: string | null; reason: string | null; at: Date }[]
}

/** Of the workspace's approvals only so many, the newest, are looked through. */
const precedentsScannedMax = 5_000
const precedentsShownMax = 3

/** What was decided on calls of the same tool by the same agent. By `precedentKey`. */
export async function precedentsOf(
  db: Database,
  workspace: WorkspaceId,
  calls: readonly { agent: string; tool: string }[],
): Promise<ReadonlyMap<string, Precedents>> {
  if (calls.length === 0) return new Map()
  const rows = await db.forWorkspace(workspace)<{
    agent: string
    tool: string
    approved: number
    refused: number
    newest: { status: 'approved' | 'refused'; by: string | null; reason: string | null; at: string }[]
  }>`
    select agent, tool, count(*) filter (where status = 'approved')::integer as approved,
      count(*) filter (where status = 'refused')::integer as refused,
      json_agg(json_build_object('status', status, 'by', decided_by, 'reason', reason, 'at', decided_at) order by id desc)
        filter (where place <= ${precedentsShownMax}) as newest
    from (
      select *, row_number() over (partition by agent, tool order by id desc) as place from (
        select id, agent, tool, status, decided_by, reason, decided_at from approvals
        where workspace_id = ${uuidOf(workspace)} order by id desc limit ${precedentsScannedMax}
      ) as recent
      where status in ('approved', 'refused') and (agent, tool) in (
        select * from unnest(${calls.map(({ agent }) => agent)}::text[], ${calls.map(({ tool }) => tool)}::text[]))
    ) as decided
    group by agent, tool`
  return new Map(
    rows.map(({ agent, tool, newest, ...counts }) => [
      precedentKey({ agent, tool }),
      { ...counts, newest: newest.map((decision) => ({ ...decision, at: new Date(decision.at) })) },
    ]),
  )
}

export const precedentKey = ({ agent, tool }: { agent: string; tool: string }): string => JSON.stringify([agent, tool])
