/** Who waits here for the decision of an operator, and is told when it is made. */

import type { Log } from '../../runtime/log/log.ts'
import type { Bus } from '../../runtime/nodes/bus.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { seconds } from '../../runtime/time/duration.ts'
import { type Approval, decidedApprovals, expireApprovals } from '../../store/approvals.ts'
import type { Database } from '../../store/database.ts'
import type { ApprovalId, ConversationId, TurnId } from '../../store/id.ts'
import type { HeldKey } from '../../store/nodes/slots.ts'
import { resumeTurns } from '../../store/turns/pauses.ts'
import type { LaneKey } from '../queue/lane.ts'

export type Decision = Pick<Approval, 'status' | 'reason'>

export interface ApprovalDesk {
  /** Resolves with the decision, whenever it is made; `closed`: the service stops, which no person is waited for. @throws the signal's reason */
  wait(id: ApprovalId, signal: AbortSignal): Promise<Decision | 'closed'>
  /** The decision is stored: whoever waits here is told, and a paused turn is queued again. */
  decided(approval: Approval): Promise<void>
  /** Queues paused turns that wait for nothing any more. */
  resume(turn: TurnId | null): Promise<void>
  /** For all nodes: expires what waited too long, and queues turns whose decision came while nobody was there to resume them. */
  sweep(held: HeldKey): Promise<void>
  /** Finds decisions that somebody waits for here and whose news was lost. */
  findDecisions(): Promise<void>
  /** Nobody waits here from now on. */
  close(): void
}

/** How often each of `sweep` and `findDecisions` runs. */
export const sweepMs = seconds(10)
const expiredAtOnceMax = 500

export function approvalDesk(parts: {
  db: Database
  clock: Clock
  log: Log
  /** So many turns of the conversation wait in the queue now. */
  onWaiting(conversation: ConversationId, lane: LaneKey, turns: number): void
  onEvents(): void
  /** To those who wait on other nodes. */
  bus?: Bus | undefined
}): ApprovalDesk {
  const { db, clock, log, bus } = parts
  const waiting = new Map<ApprovalId, Set<(decision: Decision | 'closed') => void>>()
  let isClosed = false

  async function resume(turn: TurnId | null): Promise<void> {
    for (const { conversationId, channelId, queued } of await resumeTurns(db, turn))
      parts.onWaiting(conversationId, channelId ?? 'none', queued)
  }

  async function decided(approval: Approval): Promise<void> {
    notify(approval)
    bus?.broadcast('approval.decided', approval.id)
    parts.onEvents()
    try {
      await resume(approval.turnId)
    } catch (error) {
      // The decision is stored, and whoever made it is told so.
      log.debug({ err: error, turn: approval.turnId }, 'a turn could not be resumed now; the next sweep resumes it')
    }
  }

  function notify(approval: Approval): void {
    for (const resolve of [...(waiting.get(approval.id) ?? [])]) resolve(approval)
  }

  /** The message says that it is worth looking; what was decided stands in the database. */
  async function look(id: unknown): Promise<void> {
    if (!waiting.has(id as ApprovalId)) return
    try {
      for (const approval of await decidedApprovals(db, [id as ApprovalId])) notify(approval)
    } catch (error) {
      log.debug({ err: error, approval: id }, 'a decision could not be read now; the next sweep reads it')
    }
  }

  async function sweep(held: HeldKey): Promise<void> {
    const expired = await expireApprovals(db, held, new Date(clock.now()), expiredAtOnceMax)
    if (expired.length > 0) parts.onEvents()
    for (const approval of expired) {
      log.warn({ approval: approval.id, tool: approval.tool }, `an approval was not given and is ${approval.status}`)
      notify(approval)
      bus?.broadcast('approval.decided', approval.id)
    }
    await resume(null)
  }

  /** One whose answer was lost with the connection was decided all the same. */
  async function findDecisions(): Promise<void> {
    if (waiting.size > 0) for (const approval of await decidedApprovals(db, [...waiting.keys()])) notify(approval)
  }

  bus?.on('approval.decided', (id) => void look(id))
  return {
    decided,
    resume,
    sweep,
    findDecisions,
    close() {
      isClosed = true
      for (const all of [...waiting.values()]) for (const resolve of [...all]) resolve('closed')
    },
    wait(id, signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        if (isClosed) return resolve('closed')
        const all = waiting.get(id) ?? new Set()
        waiting.set(id, all)
        const leave = () => {
          signal.removeEventListener('abort', onAbort)
          all.delete(decide)
          if (all.size === 0) waiting.delete(id)
        }
        const onAbort = () => {
          leave()
          reject(signal.reason)
        }
        const decide = (decision: Decision | 'closed') => {
          leave()
          resolve(decision)
        }
        all.add(decide)
        signal.addEventListener('abort', onAbort, { once: true })
      })
    },
  }
}
