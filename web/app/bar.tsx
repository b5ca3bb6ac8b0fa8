/** The bar: workspace, path, search, whether events arrive, what waits, help and the account. */
import { useRouterState } from '@tanstack/react-router'
import { ChevronRight, CircleQuestionMark, Inbox, Search } from 'lucide-react'
import { groups, type Section, sections } from '../pages/sections.ts'
import { countText } from '../parts/count.tsx'
import { PageLink } from '../parts/link-to.tsx'
import { useLanguage, useText } from '../text/text.ts'
import { AccountButton } from './account-button.tsx'
import { useCurrentPage } from './current-page.ts'
import { LiveState } from './live-state.tsx'
import { MenuButton } from './menu-button.tsx'
import { usePageTitle } from './page-title.ts'
import { openPalette } from './palette-request.ts'
import { useSession } from './session.tsx'
import styles from './shell.module.css'
import { appText } from './text.ts'
import { WorkspaceSwitch } from './workspace-switch.tsx'

const loadHelp = () => import('./help-menu.tsx')

export function Bar({ waiting }: { waiting: number }) {
  const t = useText(appText)
  const { may } = useSession()
  return (
    <header className={styles['bar']}>
      <div className={styles['workspace']}>
        <WorkspaceSwitch />
      </div>
      <Path />
      <button type="button" className={styles['find']} onClick={openPalette}>
        <Search size={14} aria-hidden />
        <span className="cut">{t('find')}</span>
        <kbd className="kbd">Ctrl K</kbd>
      </button>
      {may('events.read') && <LiveState />}
      <button
        type="button"
        className={`${styles['tool']} ${styles['phoneOnly']}`}
        aria-label={t('find')}
        onClick={openPalette}
      >
        <Search size={16} aria-hidden />
      </button>
      {may('approvals.read') && (
        <PageLink path="/approvals" className={styles['tool']} aria-label={t('inbox', { n: waiting })}>
          <Inbox size={16} aria-hidden />
          {waiting > 0 && <span className={styles['dot']}>{countText(waiting)}</span>}
        </PageLink>
      )}
      <MenuButton
        label={t('help')}
        className={`${styles['tool']} ${styles['wideOnly']}`}
        load={loadHelp}
        icon={<CircleQuestionMark size={16} aria-hidden />}
      />
      <AccountButton />
    </header>
  )
}

/** Group, section and thing: the last is where one is. */
function Path() {
  const t = useText(appText)
  const language = useLanguage()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const page = useCurrentPage()
  const title = usePageTitle()
  const section: Section | undefined = page?.section && sections[page.section]
  const isInside = section !== undefined && title !== section.title[language]
  return (
    <nav aria-label={t('path')} className={styles['path']}>
      {section?.group && (
        <>
          <span>{groups[section.group][language]}</span>
          <ChevronRight size={14} aria-hidden />
        </>
      )}
      {isInside && section && (
        <>
          <PageLink path={upFrom(path)}>{section.title[language]}</PageLink>
          <ChevronRight size={14} aria-hidden />
        </>
      )}
      <b className="cut" aria-current="page">
        {title}
      </b>
    </nav>
  )
}

const upFrom = (path: string): string => `/${path.split('/')[1] ?? ''}`
