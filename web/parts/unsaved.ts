/** Asks before a page with unsaved changes is left. */
import { useBlocker } from '@tanstack/react-router'
import { sharedText } from '../text/shared-text.ts'
import { useText } from '../text/text.ts'

/** @param options isKeptInPage: filters and panes of the same page change without a question, since nothing is lost by them */
export function useLeaveGuard(hasUnsaved: boolean, options: { isKeptInPage?: boolean } = {}): void {
  const t = useText(sharedText)
  useBlocker({
    shouldBlockFn: ({ current, next }) => {
      const isKept = !hasUnsaved || (options.isKeptInPage === true && current.pathname === next.pathname)
      return !isKept && !window.confirm(t('unsaved'))
    },
    enableBeforeUnload: () => hasUnsaved,
  })
}
