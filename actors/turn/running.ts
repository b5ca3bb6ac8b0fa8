/** The turns that run in this process: bounds their number, and tells them from those that a crash left behind. */
import type { TurnId } from '../../store/id.ts'

export interface RunningTurns {
  readonly size: number
  has(turn: TurnId): boolean
  /** False when `turnsMax` run already. */
  enter(turn: TurnId, turnsMax: number): boolean
  leave(turn: TurnId): void
  ids(): TurnId[]
}

export function runningTurns(): RunningTurns {
  const turns = new Set<TurnId>()
  return {
    get size() {
      return turns.size
    },
    has: (turn) => turns.has(turn),
    enter(turn, turnsMax) {
      if (turns.size >= turnsMax) return false
      turns.add(turn)
      return true
    },
    leave(turn) {
      turns.delete(turn)
    },
    ids: () => [...turns],
  }
}
