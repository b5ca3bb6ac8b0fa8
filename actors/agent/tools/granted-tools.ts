/** The tools that a workspace may use: those that reach nothing of the installation, and those that its owner granted. */
import { defaultWorkspace } from '../../../store/default-workspace.ts'
import type { WorkspaceId } from '../../../store/id.ts'
import type { Tool } from '../../../tools/tool.ts'
import type { Services } from '../../services.ts'
import { matchesAny } from './toolset.ts'

/** The default workspace is the installation's own: it has them all. */
export function grantedTools(
  { settings, tools, agents }: Pick<Services, 'settings' | 'tools' | 'agents'>,
  workspaceId: WorkspaceId,
): readonly Tool[] {
  if (workspaceId === defaultWorkspace({ settings })) return tools.all()
  const grants = agents.toolGrants(workspaceId)
  return tools.all().filter(({ name, needsGrant }) => !needsGrant || matchesAny(name, grants))
}
