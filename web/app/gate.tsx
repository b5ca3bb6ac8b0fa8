/** Before each page: checks the role's permission, so that a forbidden page loads nothing, and says where the page stands. */
import { Navigate, Outlet } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Permission } from '../api/session.ts'
import { isOfOneThing, pages, tabsOf } from '../pages/pages.ts'
import { sections } from '../pages/sections.ts'
import { Banner } from '../parts/banner.tsx'
import { targetOf } from '../parts/link-to.tsx'
import { Page } from '../parts/page.tsx'
import { sharedText } from '../text/shared-text.ts'
import { useText } from '../text/text.ts'
import { useCurrentPage } from './current-page.ts'
import { type Place, PlaceProvider } from './place.ts'
import { useSession } from './session.tsx'
import { appText } from './text.ts'

/** The page of the address. A role without the overview starts with the first page that it may see. */
export function Gate() {
  const { may } = useSession()
  const page = useCurrentPage()
  const place = useMemo<Place>(() => {
    if (!page?.section) return { tabs: [] }
    const tabs = tabsOf(page.section, may)
    return {
      section: sections[page.section].title,
      ...(isOfOneThing(page) && { up: `/${page.path.split('/')[1]}` }),
      // A page of one thing stands below the tabs, not among them.
      tabs: tabs.includes(page) ? tabs.map((tab) => ({ ...tab, isCurrent: tab === page })) : [],
    }
  }, [page, may])
  if (!page || may(page.permission))
    return (
      <PlaceProvider value={place}>
        <Outlet />
      </PlaceProvider>
    )
  if (page.path !== '/') return <BeyondRole key={page.path} permission={page.permission} />
  const first = pages.find(({ section, permission }) => section && may(permission))
  return <Navigate {...targetOf(first?.path ?? '/account')} replace />
}

function BeyondRole({ permission }: { permission: Permission }) {
  const t = useText(appText)
  const c = useText(sharedText)
  return (
    <Page title={t('beyondRole')}>
      <Banner tone="warn" role="alert">
        {`${c('notPermitted')} ${t('lacks', { permission })}`}
      </Banner>
    </Page>
  )
}
