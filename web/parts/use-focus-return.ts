/** Gives the focus back to where it was before a layer came, once the layer is gone and nothing else has taken it. */
import { useEffect, useState } from 'react'

/** Mantine does so only for layers that are there while they are closed; ours come when they open. */
export function useFocusReturn(): void {
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      setTimeout(() => {
        const isLost = document.activeElement === null || document.activeElement === document.body
        if (isLost && before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
      })
    },
    [before],
  )
}
