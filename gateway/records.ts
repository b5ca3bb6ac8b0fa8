/** What the database holds of this instance before anything runs: its row, what earlier instances left, and what a first start needs. */
import { endingsMax } from '../actors/conversation/answer-queued.ts'
import type { Settings } from '../config/settings.ts'
import { bootstrapKey } from '../http/auth/bootstrap-key.ts'
import type { Log } from '../runtime/log/log.ts'
import { ensureChannel } from '../store/channels.ts'
import type { Database } from '../store/database.ts'
import { defaultWorkspace } from '../store/default-workspace.ts'
import { registerInstance } from '../store/instances.ts'
import { recoverTurns } from '../store/turns/queue.ts'
import { ensureWorkspace } from '../store/workspaces.ts'

export interface Records {
  /** Numbers the instances of the service: what a larger one has written belongs to a later instance. */
  epoch: number
  /** The text of the first key, where one was made at this start. */
  firstKey: string | undefined
}

export async function openRecords(
  db: Database,
  { settings, version, log }: { settings: Settings; version: string; log: Log },
): Promise<Records> {
  const epoch = await registerInstance(db, { version, pid: process.pid })
  const left = await recoverTurns(db, epoch, endingsMax)
  if (left.interrupted > 0) log.warn({ turns: left.interrupted }, 'calls of an earlier instance were interrupted')
  if (left.queued > 0) log.warn({ turns: left.queued }, 'turns of an earlier instance are queued again')
  if (left.failed > 0)
    log.error({ turns: left.failed }, 'turns have failed: the service ended during each of their attempts')
  const workspaceId = defaultWorkspace({ settings })
  await ensureWorkspace(db, workspaceId, 'default')
  await ensureChannel(db, { workspaceId, name: 'generic', adapter: 'generic' })
  const firstKey = await bootstrapKey(db, { configured: settings.get('SERVICE_BOOTSTRAP_KEY'), workspaceId })
  return { epoch, firstKey }
}
