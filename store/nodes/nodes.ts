/** The nodes: a row for each start of the service. A node that does not say in time that it lives is lost, by the database's clock. */
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import type { Database } from '../database.ts'
import { followPrimary, isOnKnownPrimary, type Primary } from './primary.ts'

export interface LivingNode {
  /** The number of this start. Later ones have larger numbers. */
  epoch: number
  version: string
  pid: number
  startedAt: Date
  /** It takes no slots any more. */
  isDraining: boolean
}

export interface StartedProcess {
  version: string
  pid: number
  host?: string
}

/** The number of a start, and nobody else's: see `followPrimary`. No node has it before it registers. */
export async function newNodeNumber(db: Database, leaseMs: number): Promise<number> {
  await followPrimary(db, leaseMs)
  const [row] = await db.system<{ epoch: string }>`select nextval('instances_epoch_seq') as epoch`
  return Number(row?.epoch)
}

/** It lives from now on. Where its row is gone with the primary that had it, again. @param leaseMs how long without a further word */
export async function registerNode(
  db: Database,
  node: StartedProcess & { epoch: number },
  leaseMs: number,
): Promise<void> {
  await db.system`
    insert into instances (epoch, version, pid, host, expires_at) overriding system value
    values (${node.epoch}, ${node.version}, ${node.pid}, ${node.host ?? null},
      clock_timestamp() + make_interval(secs => ${leaseMs / 1_000}))
    on conflict (epoch) do nothing`
}

export interface HeartBeat {
  epoch: number
  leaseMs: number
  isDraining?: boolean
}

export interface HeartBeatAnswer {
  /** The server that has answered. */
  primary: Primary
  /** How often leases were made new. */
  generation: number
  /** False: the server was promoted since the leases were granted, and nothing was written. */
  isKnownPrimary: boolean
  /** The node has a row. */
  isThere: boolean
  /** False: it was lost, and now lives again; what was its own may be others'. */
  wasKept: boolean
  isDraining: boolean
}

/** It says that it lives, and hears which server it has told that. */
export async function heartBeat(
  db: Database,
  { epoch, leaseMs, isDraining = false }: HeartBeat,
): Promise<HeartBeatAnswer> {
  const [row] = await db.heartbeat<HeartBeatAnswer & Primary & { wasLost: boolean | null }>`
    with present as (select cluster, timeline from service_primary()), beat as (
      update instances set
        expires_at = clock_timestamp() + make_interval(secs => ${leaseMs / 1_000}),
        lost_at = null,
        draining_at = coalesce(instances.draining_at, case when ${isDraining}::boolean then now() end)
      from (select epoch, lost_at from instances where epoch = ${epoch} for update) as before
      where instances.epoch = before.epoch and ${isOnKnownPrimary()}
      returning before.lost_at is not null as was_lost, instances.draining_at is not null as is_draining
    )
    select present.cluster, present.timeline, primaries.generation,
      (primaries.cluster, primaries.timeline) is not distinct from (present.cluster, present.timeline) as "isKnownPrimary",
      exists (select from instances where epoch = ${epoch}) as "isThere", was_lost as "wasLost",
      coalesce(is_draining, false) as "isDraining"
    from present cross join primaries left join beat on true`
  if (!row) throw new TypeError('the table primaries has no row')
  const { cluster, timeline, wasLost, ...answer } = row
  return { ...answer, primary: { cluster, timeline }, wasKept: wasLost === false }
}

/** It ends, or its parent has seen that it ended: others may take what is its own at once. */
export async function retireNode(db: Database, epoch: number): Promise<void> {
  await db.system`update instances set stopped_at = now() where epoch = ${epoch} and stopped_at is null`
}

/** Those whose time is over are lost from now on. @param isAlone every other node has ended, whatever its row says */
export async function loseNodes(db: Database, own: number, isAlone: boolean): Promise<number[]> {
  const rows = await db.system<{ epoch: string }>`
    update instances set lost_at = clock_timestamp()
    where stopped_at is null and lost_at is null and epoch <> ${own} and ${isOnKnownPrimary()}
      and (${isAlone}::boolean or coalesce(expires_at, '-infinity') < clock_timestamp())
    returning epoch`
  return rows.map(({ epoch }) => Number(epoch))
}

/** In the order in which they started. */
export async function livingNodes(db: Database): Promise<LivingNode[]> {
  const rows = await db.system<Omit<LivingNode, 'epoch'> & { epoch: string }>`
    select epoch, version, pid, started_at as "startedAt", draining_at is not null as "isDraining" from instances
    where stopped_at is null and lost_at is null and expires_at is not null order by epoch`
  return rows.map((row) => ({ ...row, epoch: Number(row.epoch) }))
}

/** The newest start that has not said goodbye: what the running server is, if there is one. */
export async function newestNode(db: Database): Promise<{ epoch: number; pid: number; startedAt: Date } | null> {
  const [row] = await db.system<{ epoch: string; pid: number; started_at: Date }>`
    select epoch, pid, started_at from instances where stopped_at is null order by epoch desc limit 1`
  return row ? { epoch: Number(row.epoch), pid: row.pid, startedAt: row.started_at } : null
}

export interface ListedNode extends Omit<LivingNode, 'isDraining'> {
  host: string | null
  state: 'running' | 'draining' | 'stopped' | 'lost'
  /** Since it last said that it lives, by the database's clock. */
  silentMs: number
  slots: number
}

export const isLiving = ({ state }: ListedNode): boolean => state === 'running' || state === 'draining'

export const listedNodesMax = 200

/** Those that live, then those that have gone within a day, each newest first. */
export async function listNodes(db: Database, leaseMs: number): Promise<ListedNode[]> {
  const rows = await db.system<Omit<ListedNode, 'epoch'> & { epoch: string }>`
    with known as (
      select epoch, host, version, pid, started_at, stopped_at, lost_at, draining_at, expires_at,
        case
          when stopped_at is not null then 'stopped'
          when lost_at is not null or expires_at < clock_timestamp() then 'lost'
          when draining_at is not null then 'draining'
          else 'running'
        end as state
      from instances
      where expires_at is not null
        and (coalesce(stopped_at, lost_at) is null or coalesce(stopped_at, lost_at) > now() - interval '1 day')
    )
    select epoch, host, version, pid, started_at as "startedAt", state,
      greatest(0, round(extract(epoch from clock_timestamp() - expires_at) * 1000 + ${leaseMs}))::float8 as "silentMs",
      (select count(*)::int from slots where slots.node_epoch = known.epoch) as slots
    from known order by state in ('stopped', 'lost'), epoch desc limit ${listedNodesMax}`
  return rows.map((row) => ({ ...row, epoch: Number(row.epoch) }))
}

/** It drains from its next beat on, and ends. @returns false: it does not live */
export async function askToDrain(db: Database, epoch: number, actor: AuditActor): Promise<boolean> {
  return await db.transaction('system', async (query) => {
    const [asked] = await query`
      update instances set draining_at = coalesce(draining_at, now())
      where epoch = ${epoch} and stopped_at is null and lost_at is null and expires_at > clock_timestamp()
      returning epoch`
    if (asked) await writeAudit(query, { actor, action: 'node.drain', target: String(epoch) })
    return asked !== undefined
  })
}
