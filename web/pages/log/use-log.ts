/** The state of the log page: lines are followed while it is visible; those of a pause wait, bounded, and are counted. */
import { useCallback, useEffect, useRef, useState } from 'react'
import { type Entry, entriesMax, entriesWhileReadingMax, withMore } from './entries.ts'
import { follow, type LogQuery, type Place } from './follow.ts'

export interface LogState {
  entries: readonly Entry[]
  /** Came during the pause; at the maximum loading stops, and goes on from there afterwards. */
  held: readonly Entry[]
  isCaughtUp: boolean
  error: unknown
  /** The maximum of lines is loaded while the operator reads further up. */
  isFull: boolean
}

const initialState: LogState = { entries: [], held: [], isCaughtUp: false, error: undefined, isFull: false }

export const heldMax = entriesMax

/** @param isAtEnd the newest line is visible, so the oldest may be dropped */
export function useLog({ level, search, everyS }: LogQuery, isPaused: boolean, isAtEnd: boolean): LogState {
  const [state, setState] = useState(initialState)
  const place = useRef<Place>(undefined)
  const latest = useRef({ isAtEnd, isPaused })
  latest.current = { isAtEnd, isPaused }
  const isVisible = usePageVisible()

  // biome-ignore lint/correctness/useExhaustiveDependencies: other filters start over
  useEffect(() => {
    place.current = undefined
    setState(initialState)
  }, [level, search])

  useEffect(() => {
    if (isAtEnd) setState((before) => ({ ...before, entries: withMore(before.entries, [], true), isFull: false }))
  }, [isAtEnd])

  const add = useCallback((more: readonly Entry[]) => {
    setState((before) => {
      // What was there when the page opened, or before other filters, is what the pause is about.
      if (latest.current.isPaused && before.isCaughtUp) return { ...before, held: [...before.held, ...more] }
      const entries = withMore(before.entries, more, latest.current.isAtEnd)
      const isFull = !latest.current.isAtEnd && entries.length >= entriesWhileReadingMax
      return { ...before, entries, isFull }
    })
  }, [])

  useEffect(() => {
    if (isPaused) return
    setState((before) => ({
      ...before,
      entries: withMore(before.entries, before.held, latest.current.isAtEnd),
      held: [],
    }))
  }, [isPaused])

  const isFollowed = isVisible && !state.isFull && state.held.length < heldMax
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
