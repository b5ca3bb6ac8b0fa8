/** Whether a link can be followed: its page exists and the role may see it. */
import { useRouter } from '@tanstack/react-router'
import type { Permission } from '../api/session.ts'
import { useSession } from '../app/session.tsx'

/** @returns a check by the page's path, such as `/turns/$id`, and its permission */
export function useMayOpen(): (path: string, permission: Permission) => boolean {
  const { may } = useSession()
  const { routesByPath } = useRouter()
  return (path, permission) => Object.hasOwn(routesByPath, path) && may(permission)
}
