/** Data that is read again when somebody has changed it: the audit log tells, to whoever may read it. */
import type { QueryKey } from '@tanstack/react-query'
import { useRefreshOn } from '../api/feed.ts'

/** @param actions the beginnings of what concerns it, such as `api_key.` */
export function useRefreshOnAudit(actions: readonly string[], queryKey: QueryKey): void {
  useRefreshOn(['audit.added'], queryKey, ({ action }) => actions.some((one) => `${action}`.startsWith(one)))
}
