/** Switches to another workspace in the same session. */
import { call } from '../api/call.ts'
import { forgetRecent } from './tab-storage.ts'

/** Reloads the page, so that neither data nor feed of the previous workspace remains. @throws ApiFailure */
export async function goToWorkspace(id: string, path = '/'): Promise<void> {
  await call('POST /v1/admin/auth/workspace', { body: { workspace_id: id } })
  forgetRecent()
  location.assign(path)
}
