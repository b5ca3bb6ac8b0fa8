/** Addresses to pages: each page is a separate chunk, loaded on first use. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { pages } from '../pages/pages.ts'
import { NotFound, PageCrashed } from './not-found.tsx'
import { Shell } from './shell.tsx'

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound })

const pageRoutes = pages.map(({ path, load }) =>
  createRoute({
    getParentRoute: () => root,
    path,
    // Filters live in the address as plain text; each page reads its own.
    validateSearch: (search: Record<string, unknown>): Record<string, string> =>
      Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)])),
    component: lazyRouteComponent(load),
    errorComponent: PageCrashed,
  }),
)

export const router = createRouter({
  routeTree: root.addChildren(pageRoutes),
  defaultPreload: 'intent',
  scrollRestoration: true,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(
      Object.entries(search).flatMap(([name, value]) =>
        value === undefined || value === '' ? [] : [[name, String(value)]],
      ),
    ).toString()
    return text === '' ? '' : `?${text}`
  },
})
