/** Prepares the database for this instance: registers it, recovers the turns of earlier ones, and creates what a first start needs. */
import { endingsMax } from '../actors/conversation/answer-queued.ts'
import type { Settings } from '../config/settings.ts'
import { bootstrapKey } from '../http/auth/bootstrap-key.ts'
import type { Log } from '../runtime/log/log.ts'
import { builtInChannel, ensureChannel } from '../store/channels.ts'
import type { Database } from '../store/database.ts'
import { defaultWorkspace } from '../store/default-workspace.ts'
import { registerInstance } from '../store/instances.ts'
import { recoverTurns } from '../store/turns/queue.ts'
import { ensureWorkspace } from '../store/workspaces.ts'

export interface Records {
  /** The number of this instance; later ones have larger numbers. */
  epoch: number
  /** The text of the first key, where one was created at this start. */
  firstKey: string | undefined
}

export async function openRecords(
  db: Database,
  { settings, version, log }: { settings: Settings; version: string; log: Log },
): Promise<Records> {
  const epoch = await registerInstance(db, { version, pid: process.pid })
  const recovered = await recoverTurns(db, epoch, endingsMax)
  if (recovered.interrupted > 0)
    log.warn({ turns: recovered.interrupted }, 'calls of an earlier instance were interrupted')
  if (recovered.queued > 0) log.warn({ turns: recovered.queued }, 'turns of an earlier instance are queued again')
  if (recovered.failed > 0)
    log.error({ turns: recovered.failed }, 'turns have failed: the service ended during each of their attempts')
  const workspaceId = defaultWorkspace({ settings })
  await ensureWorkspace(db, workspaceId, 'default')
  await ensureChannel(db, { workspaceId, name: builtInChannel, adapter: 'generic' })
  const firstKey = await bootstrapKey(db, { configured: settings.get('SERVICE_BOOTSTRAP_KEY'), workspaceId })
  return { epoch, firstKey }
}
