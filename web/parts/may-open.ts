/** Whether the operator may follow a link, so that links lead only to pages that are there and shown to the role. */
import { useRouter } from '@tanstack/react-router'
import type { Permission } from '../api/session.ts'
import { useSession } from '../app/session.tsx'

/** @returns asks by a page's path, such as `/turns/$id`, and by what it takes to see it */
export function useMayOpen(): (path: string, permission: Permission) => boolean {
  const { may } = useSession()
  const { routesByPath } = useRouter()
  return (path, permission) => Object.hasOwn(routesByPath, path) && may(permission)
}
