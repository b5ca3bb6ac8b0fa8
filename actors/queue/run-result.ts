/** How one run of a conversation ended, and where it leaves the conversation. */
import { ms } from '../../runtime/time/duration.ts'
import type { Running, Waiting } from './lane.ts'

/** After a run that the service itself ended, as its slot got another lease: that is nobody's failure, and it goes on at once. */
export const interruptedAfterMs = ms(100)

export type RunResult =
  /** So many turns no longer wait: one, or all that one answer covers. */
  | { status: 'done'; turns: number }
  /** The turn was given back and may run again after `afterMs`. `merged`: other turns that it covers and that no longer wait. */
  | { status: 'retry'; merged: number; afterMs: number }
  /** The turn waits for an operator. `turns`: it, and those that it covers. */
  | { status: 'paused'; turns: number }
  /** Nothing could run: a turn waits for an operator, and so many wait behind it. */
  | { status: 'blocked'; behind: number }
  /** No turn waits. */
  | { status: 'empty' }

export function afterRun({ turns, turnsAtStart, recount }: Running, result: RunResult): Waiting {
  const entered = turns - turnsAtStart
  switch (result.status) {
    case 'done':
      return { status: 'ready', turns: Math.max(0, turns - result.turns) }
    case 'retry':
      return { status: 'resting', turns: Math.max(0, turns - result.merged) }
    case 'empty':
      // What was known at its start was a mistake; what was entered since may have come after it looked.
      return { status: 'ready', turns: entered }
    case 'paused':
      // What the database said meanwhile may be that the turn is no longer paused: the next run sees.
      if (recount !== undefined) return { status: 'ready', turns: recount }
      return { status: 'paused', turns: Math.max(0, turns - result.turns) }
    case 'blocked':
      if (recount !== undefined) return { status: 'ready', turns: recount }
      return { status: 'paused', turns: result.behind + enteredUnseen(result.behind, turnsAtStart, entered) }
    default:
      return result satisfies never
  }
}

/** Of the turns that were entered during a run those that it cannot have seen: it saw more than it began with, or it did not. */
function enteredUnseen(seen: number, turnsAtStart: number, entered: number): number {
  const alreadySeen = Math.min(entered, Math.max(0, seen - turnsAtStart))
  return entered - alreadySeen
}
