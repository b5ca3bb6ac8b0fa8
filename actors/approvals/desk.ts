/** Who waits here for an operator's word, and who hears when it is given. */

import type { Log } from '../../runtime/log/log.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { seconds } from '../../runtime/time/duration.ts'
import { type Approval, decidedApprovals, expireApprovals } from '../../store/approvals.ts'
import type { Database } from '../../store/database.ts'
import type { ApprovalId, ConversationId, TurnId } from '../../store/id.ts'
import { resumeTurns } from '../../store/turns/pauses.ts'
import type { LaneKey } from '../queue/lane.ts'

export type Decision = Pick<Approval, 'status' | 'reason'>

export interface ApprovalDesk {
  /** Resolves with the word, whenever it comes. @throws the signal's reason */
  wait(id: ApprovalId, signal: AbortSignal): Promise<Decision>
  /** The word was given and is stored: whoever waits here hears it, and a turn that was put aside waits in the queue again. */
  decided(approval: Approval): Promise<void>
  /** Turns that were put aside and wait for nothing any more. */
  resume(turn: TurnId | null): Promise<void>
  /** Expires what waited too long, and finds decisions whose news was lost. */
  sweep(): Promise<void>
}

/** How often `sweep` runs. */
export const sweepMs = seconds(10)
const expiredAtOnceMax = 500

export function approvalDesk(parts: {
  db: Database
  clock: Clock
  log: Log
  /** So many turns of the conversation wait in the queue now. */
  onWaiting(conversation: ConversationId, lane: LaneKey, turns: number): void
  onEvents(): void
}): ApprovalDesk {
  const { db, clock, log } = parts
  const waiting = new Map<ApprovalId, Set<(decision: Decision) => void>>()

  async function resume(turn: TurnId | null): Promise<void> {
    for (const { conversationId, channelId, queued } of await resumeTurns(db, turn))
      parts.onWaiting(conversationId, channelId ?? 'none', queued)
  }

  async function decided(approval: Approval): Promise<void> {
    hear(approval)
    parts.onEvents()
    try {
      await resume(approval.turnId)
    } catch (error) {
      // The word is stored, and whoever gave it is told so.
      log.debug({ err: error, turn: approval.turnId }, 'a turn could not be taken up again now; the next look does')
    }
  }

  function hear(approval: Approval): void {
    for (const tell of [...(waiting.get(approval.id) ?? [])]) tell(approval)
  }

  async function sweep(): Promise<void> {
    const expired = await expireApprovals(db, new Date(clock.now()), expiredAtOnceMax)
    if (expired.length > 0) parts.onEvents()
    for (const approval of expired) {
      log.warn({ approval: approval.id, tool: approval.tool }, `an approval was not given and is ${approval.status}`)
      hear(approval)
    }
    // One whose answer was lost with the connection was decided all the same.
    if (waiting.size > 0) for (const approval of await decidedApprovals(db, [...waiting.keys()])) hear(approval)
    await resume(null)
  }

  return {
    decided,
    resume,
    sweep,
    wait(id, signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        const all = waiting.get(id) ?? new Set()
        waiting.set(id, all)
        const leave = () => {
          signal.removeEventListener('abort', onAbort)
          all.delete(tell)
          if (all.size === 0) waiting.delete(id)
        }
        const onAbort = () => {
          leave()
          reject(signal.reason)
        }
        const tell = (decision: Decision) => {
          leave()
          resolve(decision)
        }
        all.add(tell)
        signal.addEventListener('abort', onAbort, { once: true })
      })
    },
  }
}
