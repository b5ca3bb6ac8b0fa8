/** The state of the log page: lines are followed while it is visible and not paused. */
import { useCallback, useEffect, useRef, useState } from 'react'
import { type Entry, entriesWhileReadingMax, withMore } from './entries.ts'
import { follow, type LogQuery, type Place } from './follow.ts'

export interface LogState {
  entries: readonly Entry[]
  isCaughtUp: boolean
  error: unknown
  /** The maximum of lines is loaded while the operator reads further up. */
  isFull: boolean
}

const initialState: LogState = { entries: [], isCaughtUp: false, error: undefined, isFull: false }

/**
 * @param isPaused stops loading; lines written in the meantime are loaded afterwards
 * @param isAtEnd the newest line is visible, so the oldest may be dropped
 */
export function useLog({ level, search, everyS }: LogQuery, isPaused: boolean, isAtEnd: boolean): LogState {
  const [state, setState] = useState(initialState)
  const place = useRef<Place>(undefined)
  const atEnd = useRef(isAtEnd)
  atEnd.current = isAtEnd
  const isVisible = usePageVisible()

  // biome-ignore lint/correctness/useExhaustiveDependencies: other filters start over
  useEffect(() => {
    place.current = undefined
    setState(initialState)
  }, [level, search])

  useEffect(() => {
    if (isAtEnd) setState((before) => ({ ...before, entries: withMore(before.entries, [], true), isFull: false }))
  }, [isAtEnd])

  const add = useCallback((more: Entry[]) => {
    setState((before) => {
      const entries = withMore(before.entries, more, atEnd.current)
      return { ...before, entries, isFull: !atEnd.current && entries.length >= entriesWhileReadingMax }
    })
  }, [])

  const isFollowed = !isPaused && isVisible && !state.isFull
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

/** Browsers allow few connections per host: a hidden tab keeps none. */
function usePageVisible(): boolean {
  const [isVisible, setVisible] = useState(!document.hidden)
  useEffect(() => {
    const changed = () => setVisible(!document.hidden)
    document.addEventListener('visibilitychange', changed)
    return () => document.removeEventListener('visibilitychange', changed)
  }, [])
  return isVisible
}
