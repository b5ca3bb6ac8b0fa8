/** Going on in another workspace, with the same session. */
import { call } from '../api/call.ts'

/** The page begins anew: nothing of the workspace before stays, neither data nor feed. @throws ApiFailure */
export async function goToWorkspace(id: string, path = '/'): Promise<void> {
  await call('POST /v1/admin/auth/workspace', { body: { workspace_id: id } })
  location.assign(path)
}
