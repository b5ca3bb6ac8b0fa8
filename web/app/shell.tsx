/** The frame of every page: the menu, the account, the theme and the language. */

import { AppShell, Burger, Group, NavLink, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import { type MenuGroup, menuGroups, type PageEntry, pages } from '../pages/pages.ts'
import { linkTo } from '../parts/link-to.tsx'
import { sharedText } from '../text/shared-text.ts'
import { useLanguage, useText } from '../text/text.ts'
import { AccountButton } from './account-button.tsx'
import { Gate } from './gate.tsx'
import { useSession } from './session.tsx'
import { appText } from './text.ts'

const FactorPrompt = lazy(() => import('./shell-extras.tsx').then((extras) => ({ default: extras.FactorPrompt })))
const WorkspaceName = lazy(() => import('./shell-extras.tsx').then((extras) => ({ default: extras.WorkspaceName })))

export function Shell() {
  const t = useText(appText)
  const c = useText(sharedText)
  const { session } = useSession()
  const [isOpen, { toggle, close }] = useDisclosure()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: on a narrow screen the menu closes with each page
  useEffect(close, [path])
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <AppShell.Header>
        <a href="#content" className="skip-link">
          {t('skip')}
        </a>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap" miw={0}>
            <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={c('showMenu')} />
            <img src="/icon.svg" alt="" width={24} height={24} />
            <Text fw={600}>{t('product')}</Text>
            <Suspense>
              <WorkspaceName />
            </Suspense>
          </Group>
          <AccountButton />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label={c('showMenu')}>
        <div className="menu">
          {(Object.keys(menuGroups) as MenuGroup[]).map((group) => (
            <MenuSection key={group} group={group} path={path} />
          ))}
        </div>
      </AppShell.Navbar>
      <AppShell.Main id="content">
        {session.second_factor_wanted && (
          <Suspense>
            <FactorPrompt />
          </Suspense>
        )}
        <Gate />
      </AppShell.Main>
    </AppShell>
  )
}

function MenuSection({ group, path }: { group: MenuGroup; path: string }) {
  const language = useLanguage()
  const { may } = useSession()
  const visiblePages = pages.filter((page) => page.menu?.group === group && may(page.permission))
  if (visiblePages.length === 0) return null
  return (
    <>
      <Text size="xs" fw={600} c="dimmed" tt="uppercase" px="sm" pt="sm" pb={4}>
        {menuGroups[group][language]}
      </Text>
      {visiblePages.map((page) => (
        <MenuLink key={page.path} page={page} isActive={isWithin(path, page.path)} />
      ))}
    </>
  )
}

function MenuLink({ page, isActive }: { page: PageEntry; isActive: boolean }) {
  const language = useLanguage()
  if (!page.menu) return null
  const { icon: Icon, title } = page.menu
  return (
    <NavLink
      // The router's types expect one literal path; this is any of them.
      renderRoot={linkTo(page.path)}
      label={title[language]}
      leftSection={<Icon size={17} strokeWidth={1.8} aria-hidden />}
      active={isActive}
      aria-current={isActive ? 'page' : undefined}
    />
  )
}

const isWithin = (path: string, page: string): boolean =>
  page === '/' ? path === '/' : path === page || path.startsWith(`${page}/`)
