/** The turns that run in this process: bounds their number, and tells them from those that a crash left behind. */
import type { TurnId } from '../../store/id.ts'

export interface RunningTurns {
  readonly size: number
  has(turn: TurnId): boolean
  /** False when `turnsMax` run already. */
  enter(turn: TurnId, turnsMax: number): boolean
  leave(turn: TurnId): void
  ids(): TurnId[]
  /** It has ended, but the database was away: what it knows of the turn is not known here. Those past a bound are found by their age. */
  lose(turn: TurnId): void
  /** Those that were lost since. */
  takeLost(): TurnId[]
}

const lostMax = 10_000

export function runningTurns(): RunningTurns {
  const turns = new Set<TurnId>()
  let lost = new Set<TurnId>()
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
    lose(turn) {
      if (lost.size < lostMax) lost.add(turn)
    },
    takeLost() {
      const taken = [...lost]
      lost = new Set()
      return taken
    },
  }
}
