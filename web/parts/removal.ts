/** The removal of what is shown: from the request on nobody asks for it any more, which would be answered 404. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { flushSync } from 'react-dom'

export interface Removal {
  /** Whoever asks for it is not to be mounted, or not enabled. */
  isGone: boolean
  /** @throws what the request throws; then it is still there, and shown again */
  remove<Result>(request: () => Promise<Result>): Promise<Result>
}

/** @param id of what is shown; gone until another is */
export function useRemoval(id: string): Removal {
  const queries = useQueryClient()
  const [gone, setGone] = useState<string>()
  if (gone !== undefined && gone !== id) setGone(undefined)
  return {
    isGone: gone === id,
    async remove(request) {
      flushSync(() => setGone(id))
      // Those under way would not find it.
      await queries.cancelQueries()
      try {
        return await request()
      } catch (error) {
        setGone(undefined)
        throw error
      }
    },
  }
}
