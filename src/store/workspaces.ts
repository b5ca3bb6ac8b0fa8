/** Workspaces: what every tenant-owned row belongs to. */
import type { Database } from './database.ts'
import { uuidOf, type WorkspaceId } from './id.ts'

/** Makes the workspace if it is not there. */
export async function ensureWorkspace(db: Database, workspace: WorkspaceId, name: string): Promise<void> {
  await db.system`insert into workspaces (id, name) values (${uuidOf(workspace)}, ${name}) on conflict (id) do nothing`
}

export async function workspaceExists(db: Database, workspace: WorkspaceId): Promise<boolean> {
  const rows = await db.system<{ id: string }>`select id from workspaces where id = ${uuidOf(workspace)}`
  return rows.length > 0
}
