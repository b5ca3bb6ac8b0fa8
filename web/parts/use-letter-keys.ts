/** Single letters as keys of what is shown: by their place, so that they work on every layout; they rest in fields. */
import { useEffect, useRef } from 'react'
import { singleKeys } from '../app/browser-settings.ts'
import { isCovered, isTyping } from '../app/key-target.ts'

/** @param keys by their letter, such as `a`; undefined: none */
export function useLetterKeys(keys: Readonly<Record<string, () => void>> | undefined): void {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const act = latest.current?.[event.code.replace(/^Key/, '').toLowerCase()]
      if (!act || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !singleKeys.get()) return
      if (isTyping(event.target) || isCovered()) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}
