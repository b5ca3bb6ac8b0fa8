/** Work that is wanted often and done rarely: the first wish sets a time, those until then are the same wish. */
import { useCallback, useEffect, useRef } from 'react'

/** The answer asks for `work`, as it is by then; once the page is left, it is not done any more. */
export function useSoon(afterMs: number, work: () => void): () => void {
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
