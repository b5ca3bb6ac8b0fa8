/** Asks before a page with unsaved changes is left. */
import { useBlocker } from '@tanstack/react-router'
import { sharedText } from '../text/shared-text.ts'
import { useText } from '../text/text.ts'

export function useLeaveGuard(hasUnsaved: boolean): void {
  const t = useText(sharedText)
  useBlocker({
    shouldBlockFn: () => hasUnsaved && !window.confirm(t('unsaved')),
    enableBeforeUnload: () => hasUnsaved,
  })
}
