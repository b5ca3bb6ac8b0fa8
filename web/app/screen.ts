/** Whether this is a phone's width: where a part is another one there, and styles alone do not do it. */
import { useSyncExternalStore } from 'react'

const narrow = matchMedia('(max-width: 640px)')

function subscribe(listener: () => void): () => void {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

export const useIsPhone = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches)
