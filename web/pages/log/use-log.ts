/** The log as the page shows it: followed while it is wanted and seen, held still while it is not. */
import { useCallback, useEffect, useRef, useState } from 'react'
import { type Entry, entriesHeldMax, withMore } from './entries.ts'
import { follow, type LogQuery, type Place } from './follow.ts'

export interface LogState {
  entries: readonly Entry[]
  isCaughtUp: boolean
  error: unknown
  /** As much as is held while somebody reads further up. */
  isFull: boolean
}

const nothing: LogState = { entries: [], isCaughtUp: false, error: undefined, isFull: false }

/**
 * @param isPaused nothing is asked for; afterwards what was written meanwhile is caught up with
 * @param isAtEnd the newest line is in sight, so that the oldest may go
 */
export function useLog({ level, search, everyS }: LogQuery, isPaused: boolean, isAtEnd: boolean): LogState {
  const [state, setState] = useState(nothing)
  const place = useRef<Place>(undefined)
  const atEnd = useRef(isAtEnd)
  atEnd.current = isAtEnd
  const isSeen = useIsSeen()

  // biome-ignore lint/correctness/useExhaustiveDependencies: other lines are wanted, so that all begins anew
  useEffect(() => {
    place.current = undefined
    setState(nothing)
  }, [level, search])

  useEffect(() => {
    if (isAtEnd) setState((before) => ({ ...before, entries: withMore(before.entries, [], true), isFull: false }))
  }, [isAtEnd])

  const add = useCallback((more: Entry[]) => {
    setState((before) => {
      const entries = withMore(before.entries, more, atEnd.current)
      return { ...before, entries, isFull: !atEnd.current && entries.length >= entriesHeldMax }
    })
  }, [])

  const isFollowed = !isPaused && isSeen && !state.isFull
  useEffect(() => {
    if (!isFollowed) return
    const following = follow({ level, search, everyS }, place.current, {
      lines: add,
      caughtUp: () => setState((before) => ({ ...before, isCaughtUp: true })),
      broken: (error) => setState((before) => ({ ...before, error })),
    })
    return () => {
      following.stop()
      place.current = following.place()
    }
  }, [level, search, everyS, isFollowed, add])
  return state
}

/** A tab that nobody looks at holds no connection: a browser has few for a host. */
function useIsSeen(): boolean {
  const [isSeen, setSeen] = useState(!document.hidden)
  useEffect(() => {
    const changed = () => setSeen(!document.hidden)
    document.addEventListener('visibilitychange', changed)
    return () => document.removeEventListener('visibilitychange', changed)
  }, [])
  return isSeen
}
