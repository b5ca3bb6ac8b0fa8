/** What alerts judge by, besides the signals of turns and deliveries: each a bounded query that names what it is about. */
import type { Database } from '../database.ts'
import { idFrom, uuidOf, type WorkspaceId } from '../id.ts'

export interface Reading {
  /** An id, or empty: the workspace or the installation. */
  subject: string
  subjectName: string | null
  value: number
  /** How much there is to judge by. */
  volume: number
}

const subjectsMax = 200

export async function waitingApprovals(db: Database, workspace: WorkspaceId): Promise<Reading[]> {
  const [row] = await db.forWorkspace(workspace)<{ waiting: number; age: number | null }>`
    select count(*)::int as waiting, extract(epoch from now() - min(requested_at))::float8 as age from (
      select requested_at from approvals where workspace_id = ${uuidOf(workspace)} and status = 'pending' and expires_at > now()
      limit 10000) as pending`
  if (!row || row.age === null) return []
  return [{ subject: '', subjectName: null, value: row.age, volume: row.waiting }]
}

/** Keys that end within 90 days or ended within one. */
export async function endingKeys(db: Database, workspace: WorkspaceId): Promise<Reading[]> {
  const rows = await db.forWorkspace(workspace)<{ id: string; name: string; days: number }>`
    select id, name, extract(epoch from expires_at - now())::float8 / 86400 as days from api_keys
    where workspace_id = ${uuidOf(workspace)} and revoked_at is null
      and expires_at > now() - interval '1 day' and expires_at < now() + interval '90 days'
    order by expires_at limit ${subjectsMax}`
  return rows.map(({ id, name, days }) => ({ subject: idFrom('key', id), subjectName: name, value: days, volume: 1 }))
}

export async function failingSubscriptions(db: Database, workspace: WorkspaceId): Promise<Reading[]> {
  const rows = await db.forWorkspace(workspace)<{ id: string; name: string; failed: number }>`
    select subscriptions.id, subscriptions.name, count(*)::int as failed
    from subscriptions join subscription_deliveries on subscription_id = subscriptions.id
    where subscriptions.workspace_id = ${uuidOf(workspace)} and is_enabled and status = 'undeliverable'
      and subscription_deliveries.updated_at > now() - interval '1 hour'
    group by subscriptions.id, subscriptions.name order by subscriptions.id limit ${subjectsMax}`
  return rows.map(({ id, name, failed }) => ({
    subject: idFrom('sub', id),
    subjectName: name,
    value: failed,
    volume: 1,
  }))
}

/** By host. A start on the same host that lives, and is later than the loss, replaces one that was lost. */
export async function lostNodes(db: Database): Promise<Reading[]> {
  const rows = await db.system<{ host: string; lost: number }>`
    with lost as (
      select coalesce(host, '?') as host, count(*)::int as lost, min(lost_at) as first_at from instances
      where stopped_at is null and lost_at > now() - interval '1 hour' group by 1
    ), replaced as (
      select coalesce(instances.host, '?') as host, count(*)::int as nodes from instances join lost on lost.host = coalesce(instances.host, '?')
      where stopped_at is null and lost_at is null and expires_at > clock_timestamp() and started_at > lost.first_at group by 1
    )
    select lost.host, lost.lost - coalesce(replaced.nodes, 0) as lost from lost left join replaced on replaced.host = lost.host
    where lost.lost > coalesce(replaced.nodes, 0) order by 1 limit ${subjectsMax}`
  return rows.map(({ host, lost }) => ({ subject: host, subjectName: null, value: lost, volume: lost }))
}

/** The calls of the last five minutes, as all nodes counted them. */
export async function failingEndpoints(db: Database): Promise<Reading[]> {
  const rows = await db.system<{ endpoint: string; calls: number; failed: number }>`
    select endpoint, sum(calls)::float8 as calls, sum(failed)::float8 as failed from endpoint_calls
    where at > now() - interval '5 minutes' group by endpoint order by endpoint limit ${subjectsMax}`
  return rows.map(({ endpoint, calls, failed }) => ({
    ...{ subject: endpoint, subjectName: null, value: failed / calls, volume: calls },
  }))
}

/** Endpoints that refused the service's own key when they were last called, within the last hour. */
export async function endpointsRefusingKey(db: Database): Promise<string[]> {
  const rows = await db.system<{ endpoint: string }>`
    select endpoint from (
      select distinct on (endpoint) endpoint, refused from endpoint_calls
      where at > now() - interval '1 hour' order by endpoint, at desc
    ) as latest where refused > 0 order by endpoint limit ${subjectsMax}`
  return rows.map(({ endpoint }) => endpoint)
}

export interface EndpointCount {
  endpoint: string
  calls: number
  failed: number
  /** Of them, those in which the endpoint refused the service's own key. */
  refused: number
}

/** What this node has counted since it last said so; what is older than an hour goes. */
export async function writeEndpointCounts(db: Database, node: number, counts: readonly EndpointCount[]): Promise<void> {
  await db.system`
    with old as (delete from endpoint_calls where at < now() - interval '1 hour')
    insert into endpoint_calls (node, endpoint, calls, failed, refused)
    select ${node}::bigint, endpoint, calls, failed, refused
    from json_to_recordset(${JSON.stringify(counts)}::text::json) as input (endpoint text, calls integer, failed integer,
      refused integer)`
}

/** The workspaces that exist, as many as there may be. */
export async function workspaceIds(db: Database): Promise<WorkspaceId[]> {
  const rows = await db.system<{ id: string }>`select id from workspaces order by id limit 1000`
  return rows.map(({ id }) => idFrom('ws', id))
}
