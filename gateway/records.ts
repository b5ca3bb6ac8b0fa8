/** Prepares the database for this process: gives it its number among the nodes, and creates what a first start needs. */
import { hostname } from 'node:os'
import { endingsMax } from '../actors/conversation/answer-queued.ts'
import type { Settings } from '../config/settings.ts'
import { bootstrapKey } from '../http/auth/bootstrap-key.ts'
import type { Log } from '../runtime/log/log.ts'
import { leaseMs } from '../runtime/nodes/leases.ts'
import type { Clock } from '../runtime/time/clock.ts'
import { builtInChannel, ensureChannel } from '../store/channels.ts'
import type { Database } from '../store/database.ts'
import { defaultWorkspace } from '../store/default-workspace.ts'
import { newNodeNumber, retireNode } from '../store/nodes/nodes.ts'
import { sweepPins } from '../store/nodes/pins.ts'
import { recoverTurns } from '../store/turns/queue.ts'
import { ensureWorkspace } from '../store/workspaces.ts'
import { joinNodes, type Membership } from './membership.ts'

export interface Records {
  membership: Membership
  /** The text of the first key, where one was created at this start. */
  firstKey: string | undefined
}

interface RecordsOptions {
  settings: Settings
  version: string
  log: Log
  clock: Clock
  /** No other process can be on this database. */
  isAlone: boolean
  /** The node of a process that is known to have ended. */
  replaces?: number | undefined
}

export async function openRecords(db: Database, options: RecordsOptions): Promise<Records> {
  const { settings, version, log, clock, isAlone, replaces } = options
  if (replaces !== undefined) await retireNode(db, replaces)
  const started = { version, pid: process.pid, host: hostname() }
  const node = await newNodeNumber(db, leaseMs)
  const membership = joinNodes({
    ...{ db, clock, log, node, isAlone, process: started },
    recover: () => recover(db, node, log),
  })
  const workspaceId = defaultWorkspace({ settings })
  await ensureWorkspace(db, workspaceId, 'default')
  await ensureChannel(db, { workspaceId, name: builtInChannel, adapter: 'generic' })
  const firstKey = await bootstrapKey(db, { configured: settings.get('SERVICE_BOOTSTRAP_KEY'), workspaceId })
  return { membership, firstKey }
}

async function recover(db: Database, node: number, log: Log): Promise<void> {
  await sweepPins(db)
  const recovered = await recoverTurns(db, node, endingsMax)
  if (recovered.interrupted > 0)
    log.warn({ turns: recovered.interrupted }, 'calls of a node that has gone were interrupted')
  if (recovered.queued > 0) log.warn({ turns: recovered.queued }, 'turns of a node that has gone are queued again')
  if (recovered.failed > 0)
    log.error({ turns: recovered.failed }, 'turns have failed: the service ended during each of their attempts')
}
