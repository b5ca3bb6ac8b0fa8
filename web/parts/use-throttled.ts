/** Throttling: the first request starts a timer, and further requests until it fires are merged. */
import { useCallback, useEffect, useRef } from 'react'

/** @returns requests `work`, in its newest version; nothing runs after the page is left */
export function useThrottled(afterMs: number, work: () => void): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const latest = useRef(work)
  latest.current = work
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )
  return useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      latest.current()
    }, afterMs)
  }, [afterMs])
}
