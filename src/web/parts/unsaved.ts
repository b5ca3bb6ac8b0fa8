/** Nobody leaves a page with unsaved changes without having been asked. */
import { useBlocker } from '@tanstack/react-router'
import { common } from '../text/common.ts'
import { useText } from '../text/text.ts'

export function useLeaveGuard(hasUnsaved: boolean): void {
  const t = useText(common)
  useBlocker({
    shouldBlockFn: () => hasUnsaved && !window.confirm(t('unsaved')),
    enableBeforeUnload: () => hasUnsaved,
  })
}
