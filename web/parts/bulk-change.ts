/** A change of many things, portion by portion: it can be stopped, goes on after a failure, and the lists show what it did. */
import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useSubmit } from './submit.ts'

/** Of a thousand each: an end, whatever the service says. */
const portionsMax = 1_000

/** @param queryKey of the lists that show what is changed */
export function useInPortions(portion: () => Promise<{ changed: number; has_more: boolean }>, queryKey: QueryKey) {
  const queries = useQueryClient()
  const isLeft = useRef(false)
  const [progress, setProgress] = useState<{ changed: number; isDone: boolean }>()
  // Who closes the dialog wants no more of it; the portion that is under way is done.
  useEffect(() => {
    isLeft.current = false
    return () => {
      isLeft.current = true
    }
  }, [])
  const { error, isBusy, submit } = useSubmit(async () => {
    let changed = progress?.changed ?? 0
    try {
      for (let done = 0; done < portionsMax && !isLeft.current; done++) {
        const answer = await portion()
        changed += answer.changed
        setProgress({ changed, isDone: !answer.has_more })
        if (!answer.has_more) break
      }
    } finally {
      // Also after a failure: what was changed until then is changed.
      await queries.invalidateQueries({ queryKey })
    }
  })
  return { progress, error, isBusy, go: submit }
}
