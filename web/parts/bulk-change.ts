/** A change of many rows in batches: it can be stopped, resumed after a failure, and the lists are reloaded. */
import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useSubmit } from './submit.ts'

/** Of a thousand rows each: a bound, whatever the service answers. */
const batchesMax = 1_000

/** @param queryKey of the lists that show the changed rows */
export function useBulkChange(changeBatch: () => Promise<{ changed: number; has_more: boolean }>, queryKey: QueryKey) {
  const queries = useQueryClient()
  const isClosed = useRef(false)
  const [progress, setProgress] = useState<{ changed: number; isDone: boolean }>()
  // Closing the dialog stops it after the running batch.
  useEffect(() => {
    isClosed.current = false
    return () => {
      isClosed.current = true
    }
  }, [])
  const { error, isBusy, submit } = useSubmit(async () => {
    let changed = progress?.changed ?? 0
    try {
      for (let batches = 0; batches < batchesMax && !isClosed.current; batches++) {
        const answer = await changeBatch()
        changed += answer.changed
        setProgress({ changed, isDone: !answer.has_more })
        if (!answer.has_more) break
      }
    } finally {
      // Also after a failure: the batches before it are done.
      await queries.invalidateQueries({ queryKey })
    }
  })
  return { progress, error, isBusy, go: submit }
}
