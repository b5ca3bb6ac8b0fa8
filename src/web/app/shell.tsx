/** What stands around every page: the menu, the account, the theme and the language. */
import {
  ActionIcon,
  AppShell,
  Burger,
  Group,
  Menu,
  NavLink,
  ScrollArea,
  Text,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { Languages, LogOut, Moon, UserRound } from 'lucide-react'
import { useEffect } from 'react'
import { type MenuGroup, menuGroups, type PageEntry, pages } from '../pages/pages.ts'
import { common } from '../text/common.ts'
import { useLanguage, useText } from '../text/text.ts'
import { useChooseLanguage } from './language.tsx'
import { useSession } from './session.tsx'
import { appText } from './text.ts'

export function Shell() {
  const [t, c] = [useText(appText), useText(common)]
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
          <Group gap="xs" wrap="nowrap">
            <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={c('showMenu')} />
            <img src="/icon.svg" alt="" width={24} height={24} />
            <Text fw={600}>{t('product')}</Text>
          </Group>
          <Account />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label={c('showMenu')}>
        <ScrollArea type="auto">
          {(Object.keys(menuGroups) as MenuGroup[]).map((group) => (
            <MenuSection key={group} group={group} path={path} />
          ))}
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content">
        <Outlet />
      </AppShell.Main>
    </AppShell>
  )
}

function MenuSection({ group, path }: { group: MenuGroup; path: string }) {
  const language = useLanguage()
  const { may } = useSession()
  const shown = pages.filter((page) => page.menu?.group === group && may(page.permission))
  if (shown.length === 0) return null
  return (
    <>
      <Text size="xs" fw={600} c="dimmed" tt="uppercase" px="sm" pt="sm" pb={4}>
        {menuGroups[group][language]}
      </Text>
      {shown.map((page) => (
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
      // The router's types know pages one by one; this list is of all of them.
      renderRoot={(props) => <Link to={page.path as '/'} {...props} />}
      label={title[language]}
      leftSection={<Icon size={17} strokeWidth={1.8} aria-hidden />}
      active={isActive}
      aria-current={isActive ? 'page' : undefined}
    />
  )
}

const isWithin = (path: string, page: string): boolean =>
  page === '/' ? path === '/' : path === page || path.startsWith(`${page}/`)

function Account() {
  const t = useText(appText)
  const c = useText(common)
  const { session, signOut } = useSession()
  const { setColorScheme, colorScheme } = useMantineColorScheme()
  const language = useLanguage()
  const choose = useChooseLanguage()
  const themes = ['light', 'dark', 'auto'] as const
  return (
    <Menu position="bottom-end" width={220} withinPortal>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label={t('account')}>
          <UserRound size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {session.operator.name || session.operator.login} · {session.role}
        </Menu.Label>
        <Menu.Divider />
        {themes.map((scheme) => (
          <Menu.Item
            key={scheme}
            leftSection={<Moon size={15} aria-hidden />}
            onClick={() => setColorScheme(scheme)}
            rightSection={<Chosen isChosen={colorScheme === scheme} />}
          >
            {t(scheme === 'auto' ? 'system' : scheme)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        {(['en', 'ru'] as const).map((one) => (
          <Menu.Item
            key={one}
            leftSection={<Languages size={15} aria-hidden />}
            onClick={() => choose(one)}
            rightSection={<Chosen isChosen={language === one} />}
          >
            {one === 'en' ? 'English' : 'Русский'}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<LogOut size={15} aria-hidden />} onClick={() => void signOut()}>
          {c('signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function Chosen({ isChosen }: { isChosen: boolean }) {
  if (!isChosen) return null
  return (
    <>
      <span aria-hidden>✓</span>
      <VisuallyHidden>✓</VisuallyHidden>
    </>
  )
}
