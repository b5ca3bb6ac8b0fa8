/** The database's clock: rows are dated by it, and ours may differ. */
import type { Database } from '../database.ts'
import type { WorkspaceId } from '../id.ts'

export async function isAhead(db: Database, workspace: WorkspaceId, at: Date): Promise<boolean> {
  const [row] = await db.forWorkspace(workspace)<{ is_ahead: boolean }>`select ${at}::timestamptz > now() as is_ahead`
  return row?.is_ahead ?? false
}
