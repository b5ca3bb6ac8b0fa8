/** In which workspace a command acts, and as whom the audit log names it. */

import { openSettings } from '../config/settings.ts'
import type { AuditActor } from '../store/audit/audit.ts'
import { defaultWorkspace } from '../store/default-workspace.ts'
import { WorkspaceId } from '../store/id.ts'
import { readPlainSettings } from '../store/settings/live-settings.ts'
import { workspaceExists } from '../store/workspaces.ts'
import type { CommandStore } from './connect.ts'
import { CommandFailed } from './output.ts'

/** Whoever has the machine needs no account; there is no request and no address. */
export function atCommandLine(workspaceId: WorkspaceId): AuditActor {
  return { workspaceId, name: 'command line', ip: '', requestId: '' }
}

/** @param named undefined: the default one @throws CommandFailed */
export async function workspaceOf(store: CommandStore, named: string | undefined): Promise<WorkspaceId> {
  if (named === undefined) {
    const settings = openSettings({
      environment: store.environment,
      stored: await readPlainSettings(store.db, store.masterKey),
    })
    return defaultWorkspace({ settings })
  }
  const parsed = WorkspaceId.safeParse(named)
  if (!parsed.success) throw new CommandFailed('the id of a workspace is ws_ and 32 hexadecimal digits')
  if (!(await workspaceExists(store.db, parsed.data))) throw new CommandFailed(`there is no workspace ${named}`)
  return parsed.data
}
