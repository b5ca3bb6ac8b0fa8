/** The turns that run in this process right now: bounds their number, and tells them from those a crash left behind. */
import type { TurnId } from '../../store/id.ts'

export interface RunningTurns {
  readonly size: number
  has(turn: TurnId): boolean
  /** False when `most` turns run already. */
  enter(turn: TurnId, most: number): boolean
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
    enter(turn, most) {
      if (turns.size >= most) return false
      turns.add(turn)
      return true
    },
    leave(turn) {
      turns.delete(turn)
    },
    ids: () => [...turns],
  }
}
