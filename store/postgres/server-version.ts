/** The version that the PostgreSQL server reports. */
import type { Database } from '../database.ts'
import type { WorkspaceId } from '../id.ts'

export async function serverVersion(db: Database, workspace: WorkspaceId): Promise<string> {
  const [row] = await db.forWorkspace(workspace)<{
    version: string
  }>`select current_setting('server_version') as version`
  return row?.version ?? ''
}
