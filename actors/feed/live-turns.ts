/** The answers of running turns so far, for those who watch a conversation or come back to it. */
import type { ConversationId, TurnId } from '../../store/id.ts'

export interface LiveTurn {
  readonly turnId: TurnId
  /** The transaction that recorded its start: a reader of events beyond it has been told. */
  readonly startedXid: bigint
  /** The answer up to now. */
  soFar(): string
}

export interface Watcher {
  /** @param turn the same object during one attempt. @param offset UTF-16 units of the answer before `text` */
  delta(turn: LiveTurn, offset: number, text: string): void
  /** Another watcher writes something. */
  typing?(): void
}

export interface LiveTurnText {
  text(piece: string): void
  end(): void
}

export interface LiveTurns {
  begin(conversation: ConversationId, turn: LiveTurn): LiveTurnText
  current(conversation: ConversationId): LiveTurn | undefined
  watch(conversation: ConversationId, watcher: Watcher): () => void
  /** Tells the other watchers that this one writes something. */
  typing(conversation: ConversationId, from: Watcher): void
  /** Conversations that somebody watches. */
  readonly watched: number
}

const notWatched: LiveTurnText = { text() {}, end() {} }

export function liveTurns(): LiveTurns {
  const running = new Map<ConversationId, LiveTurn>()
  const watchers = new Map<ConversationId, Set<Watcher>>()
  return {
    begin(conversation, turn) {
      if (running.has(conversation)) return notWatched
      running.set(conversation, turn)
      let length = 0
      return {
        text(piece) {
          const offset = length
          length += piece.length
          const all = watchers.get(conversation)
          if (all) for (const watcher of all) watcher.delta(turn, offset, piece)
        },
        end() {
          if (running.get(conversation) === turn) running.delete(conversation)
        },
      }
    },
    current: (conversation) => running.get(conversation),
    watch(conversation, watcher) {
      const all = watchers.get(conversation) ?? new Set()
      watchers.set(conversation, all)
      all.add(watcher)
      return () => {
        all.delete(watcher)
        if (all.size === 0 && watchers.get(conversation) === all) watchers.delete(conversation)
      }
    },
    typing(conversation, from) {
      for (const watcher of watchers.get(conversation) ?? []) if (watcher !== from) watcher.typing?.()
    },
    get watched() {
      return watchers.size
    },
  }
}
