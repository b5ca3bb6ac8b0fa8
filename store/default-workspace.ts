/** The workspace of what happens before anybody is known. */
import type { Settings } from '../config/settings.ts'
import { firstWorkspaceId, WorkspaceId } from './id.ts'

export function defaultWorkspace({ settings }: { settings: Pick<Settings, 'get'> }): WorkspaceId {
  const named = settings.get('SERVICE_DEFAULT_WORKSPACE_ID')
  return named === '' ? firstWorkspaceId : WorkspaceId.parse(named)
}
