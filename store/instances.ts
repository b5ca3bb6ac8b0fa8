/** The starts of the service: each has an epoch, by which the turns of a start that died are told from ours. */
import type { Database } from './database.ts'

export async function registerInstance(db: Database, instance: { version: string; pid: number }): Promise<number> {
  const [row] = await db.system<{ epoch: string }>`
    insert into instances (version, pid) values (${instance.version}, ${instance.pid}) returning epoch`
  return Number(row?.epoch)
}

export async function retireInstance(db: Database, epoch: number): Promise<void> {
  await db.system`update instances set stopped_at = now() where epoch = ${epoch}`
}

/** The newest start that has not said goodbye: what the running server is, if there is one. */
export async function newestInstance(db: Database): Promise<{ epoch: number; pid: number; startedAt: Date } | null> {
  const [row] = await db.system<{ epoch: string; pid: number; started_at: Date }>`
    select epoch, pid, started_at from instances where stopped_at is null order by epoch desc limit 1`
  return row ? { epoch: Number(row.epoch), pid: row.pid, startedAt: row.started_at } : null
}
