/** The entry of the page that is shown. */
import { useMatches } from '@tanstack/react-router'
import { type PageEntry, pages } from '../pages/pages.ts'

/** Undefined: the address is of no page. */
export function useCurrentPage(): PageEntry | undefined {
  const path: string | undefined = useMatches().at(-1)?.fullPath
  return pages.find((page) => page.path === path)
}
