/** Links to pages. The pages are a table (pages.ts), so the router's types know no path; the casts for that are in this file only. */
import { Link } from '@tanstack/react-router'
import type { ComponentProps } from 'react'

type Search = Readonly<Record<string, string>>

/** What `navigate` takes. */
export const targetOf = (path: string, search?: Search) => ({
  to: path as '/',
  ...(search && { search: search as never }),
})

/** A link to this page, with these filters in the address. */
export function PageLink({ path, search, ...rest }: { path: string; search?: Search } & ComponentProps<'a'>) {
  return <Link {...targetOf(path, search)} {...(rest as object)} />
}

/** For `renderRoot`: the component becomes a link to this page, with these filters in the address. */
export const linkTo = (path: string, search?: Search) => (props: object) => (
  <Link {...targetOf(path, search)} {...props} />
)
