/** The workspace of what happens before anybody is known. */
import { firstWorkspaceId, WorkspaceId } from '../../store/id.ts'
import type { App } from '../app.ts'

export function defaultWorkspace({ settings }: Pick<App, 'settings'>): WorkspaceId {
  const named = settings.get('SERVICE_DEFAULT_WORKSPACE_ID')
  return named === '' ? firstWorkspaceId : WorkspaceId.parse(named)
}
