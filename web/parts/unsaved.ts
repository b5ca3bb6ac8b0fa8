/** Asks before a page with unsaved changes is left. */
import { useBlocker } from '@tanstack/react-router'
import { sharedWords } from '../text/shared-words.ts'
import { useText } from '../text/text.ts'

export function useLeaveGuard(hasUnsaved: boolean): void {
  const t = useText(sharedWords)
  useBlocker({
    shouldBlockFn: () => hasUnsaved && !window.confirm(t('unsaved')),
    enableBeforeUnload: () => hasUnsaved,
  })
}
