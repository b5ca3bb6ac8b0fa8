/**
 * A page: its head (title, one line of facts, actions), the tabs of its section, and its content.
 *
 *   <Page title={t('title')} about={t('about')} actions={<Button>…</Button>}>
 *     <FilterBar>…</FilterBar>
 *     <DataTable … />
 *   </Page>
 *
 * At most one primary button among the actions; the others are `variant="default"`, the rare ones behind "…".
 */
import { ArrowLeft } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { setPageTitle } from '../app/page-title.ts'
import { usePlace } from '../app/place.ts'
import { appText } from '../app/text.ts'
import { useLanguage, useText } from '../text/text.ts'
import { PageLink } from './link-to.tsx'
import styles from './page.module.css'
import { TabRow } from './tab-row.tsx'

interface PageProps {
  title: string
  /** One sentence for somebody who sees the page for the first time. */
  about?: string
  /** Facts in grey behind the title: counts, money. */
  facts?: ReactNode
  actions?: ReactNode
  /** Saved views or parts of the page, a `TabRow`. */
  tabs?: ReactNode
  children: ReactNode
}

export function Page({ title, about, facts, actions, tabs, children }: PageProps) {
  const t = useText(appText)
  const language = useLanguage()
  const { section, up, tabs: pages } = usePlace()
  useEffect(() => setPageTitle(title, t('product')), [title, t])
  return (
    <>
      <div className={styles['head']}>
        {up !== undefined && section && (
          <PageLink path={up} aria-label={section[language]} className={styles['back']}>
            <ArrowLeft size={20} aria-hidden />
          </PageLink>
        )}
        <h1 className={styles['title']}>{title}</h1>
        {facts !== undefined && <div className={styles['facts']}>{facts}</div>}
        {about !== undefined && <p className={styles['about']}>{about}</p>}
        {actions && <div className={styles['actions']}>{actions}</div>}
      </div>
      {section && pages.length > 1 && (
        <TabRow label={t('sections', { section: section[language] })}>
          {pages.map((page) => (
            <PageLink key={page.path} path={page.path} aria-current={page.isCurrent ? 'page' : undefined}>
              {page.title[language]}
            </PageLink>
          ))}
        </TabRow>
      )}
      {tabs}
      {children}
    </>
  )
}
