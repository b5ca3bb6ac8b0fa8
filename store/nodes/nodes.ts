/** The nodes: a row for each start of the service. A node that does not say in time that it lives is lost, by the database's clock. */
import type { Database } from '../database.ts'

export interface LivingNode {
  /** The number of this start. Later ones have larger numbers. */
  epoch: number
  version: string
  pid: number
  startedAt: Date
}

/** @param leaseMs how long it lives without a further word */
export async function registerNode(
  db: Database,
  node: { version: string; pid: number },
  leaseMs: number,
): Promise<number> {
  const [row] = await db.system<{ epoch: string }>`
    insert into instances (version, pid, expires_at)
    values (${node.version}, ${node.pid}, clock_timestamp() + make_interval(secs => ${leaseMs / 1_000}))
    returning epoch`
  return Number(row?.epoch)
}

/** It says that it lives. @returns false: it was lost, and now lives again; what was its own may be others' */
export async function heartBeat(db: Database, epoch: number, leaseMs: number): Promise<boolean> {
  const [row] = await db.system<{ was_lost: boolean }>`
    update instances set expires_at = clock_timestamp() + make_interval(secs => ${leaseMs / 1_000}), lost_at = null
    from (select epoch, lost_at from instances where epoch = ${epoch} for update) as before
    where instances.epoch = before.epoch
    returning before.lost_at is not null as was_lost`
  return row?.was_lost === false
}

/** It ends, or its parent has seen that it ended: others may take what is its own at once. */
export async function retireNode(db: Database, epoch: number): Promise<void> {
  await db.system`update instances set stopped_at = now() where epoch = ${epoch} and stopped_at is null`
}

/** Those whose time is over are lost from now on. @param isAlone every other node has ended, whatever its row says */
export async function loseNodes(db: Database, own: number, isAlone: boolean): Promise<number[]> {
  const rows = await db.system<{ epoch: string }>`
    update instances set lost_at = clock_timestamp()
    where stopped_at is null and lost_at is null and epoch <> ${own}
      and (${isAlone}::boolean or coalesce(expires_at, '-infinity') < clock_timestamp())
    returning epoch`
  return rows.map(({ epoch }) => Number(epoch))
}

/** In the order in which they started. */
export async function livingNodes(db: Database): Promise<LivingNode[]> {
  const rows = await db.system<{ epoch: string; version: string; pid: number; started_at: Date }>`
    select epoch, version, pid, started_at from instances
    where stopped_at is null and lost_at is null and expires_at is not null order by epoch`
  return rows.map(({ epoch, version, pid, started_at }) => ({
    epoch: Number(epoch),
    version,
    pid,
    startedAt: started_at,
  }))
}

/** The newest start that has not said goodbye: what the running server is, if there is one. */
export async function newestNode(db: Database): Promise<{ epoch: number; pid: number; startedAt: Date } | null> {
  const [row] = await db.system<{ epoch: string; pid: number; started_at: Date }>`
    select epoch, pid, started_at from instances where stopped_at is null order by epoch desc limit 1`
  return row ? { epoch: Number(row.epoch), pid: row.pid, startedAt: row.started_at } : null
}
