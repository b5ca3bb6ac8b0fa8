/** Space pauses and resumes the log. A button or a link keeps its own Space, a line of the log does not: it opens by Enter. */
import { useEffect, useRef } from 'react'
import { singleKeys } from '../../app/browser-settings.ts'
import { isCovered, isTyping } from '../../app/key-target.ts'

const keepsSpace = 'button:not([data-line]), a, summary, input'

export function usePauseKey(toggle: () => void): void {
  const latest = useRef(toggle)
  latest.current = toggle
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.code !== 'Space' || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
      if (event.repeat || !singleKeys.get() || isTyping(event.target) || isCovered()) return
      if (event.target instanceof Element && event.target.closest(keepsSpace)) return
      event.preventDefault()
      latest.current()
    }
    // The click of a button comes with the key's release.
    const release = (event: KeyboardEvent) => {
      if (event.code === 'Space' && event.target instanceof Element && event.target.closest('[data-line]'))
        if (singleKeys.get()) event.preventDefault()
    }
    addEventListener('keydown', press)
    addEventListener('keyup', release)
    return () => {
      removeEventListener('keydown', press)
      removeEventListener('keyup', release)
    }
  }, [])
}
