/** The workspace that a command works on, and the actor that the audit log names. */
import { openSettings } from '../config/settings.ts'
import type { AuditActor } from '../store/audit/audit.ts'
import { defaultWorkspace } from '../store/default-workspace.ts'
import { WorkspaceId } from '../store/id.ts'
import { readPlainSettings } from '../store/settings/live-settings.ts'
import { workspaceExists } from '../store/workspaces.ts'
import type { CommandStore } from './connect.ts'
import { CommandFailed } from './output.ts'

/** Access to the machine is enough: there is no account, no request and no address. */
export function atCommandLine(workspaceId: WorkspaceId): AuditActor {
  return { workspaceId, name: 'command line', ip: '', requestId: '' }
}

/** @param id undefined: the default workspace @throws CommandFailed */
export async function workspaceOf(store: CommandStore, id: string | undefined): Promise<WorkspaceId> {
  if (id === undefined) {
    const settings = openSettings({
      environment: store.environment,
      stored: await readPlainSettings(store.db, store.masterKey),
    })
    return defaultWorkspace({ settings })
  }
  const workspace = parseWorkspaceId(id)
  if (!(await workspaceExists(store.db, workspace))) throw new CommandFailed(`there is no workspace ${id}`)
  return workspace
}

/** @throws CommandFailed */
export function parseWorkspaceId(id: string): WorkspaceId {
  const parsed = WorkspaceId.safeParse(id)
  if (!parsed.success) throw new CommandFailed('the id of a workspace is ws_ and 32 hexadecimal digits')
  return parsed.data
}
