/** The bar at the bottom of a phone: the four pages that are opened most, and the rest behind "More". */
import { Ellipsis } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { tabsOf } from '../pages/pages.ts'
import { type SectionName, sections } from '../pages/sections.ts'
import { countText } from '../parts/count.tsx'
import { PageLink } from '../parts/link-to.tsx'
import { useLanguage, useText } from '../text/text.ts'
import { useCurrentPage } from './current-page.ts'
import { useSession } from './session.tsx'
import styles from './shell.module.css'
import { appText } from './text.ts'

const MoreSheet = lazy(() => import('./more-sheet.tsx'))

const first: readonly SectionName[] = ['overview', 'approvals', 'conversations', 'turns']

export function PhoneBar({ waiting }: { waiting: number }) {
  const t = useText(appText)
  const language = useLanguage()
  const { may } = useSession()
  const current = useCurrentPage()
  const [isOpen, setOpen] = useState(false)
  return (
    <nav aria-label={t('phoneMenu')} className={styles['phone']}>
      {first.map((name) => {
        const path = tabsOf(name, may)[0]?.path
        if (path === undefined) return null
        const { icon: Icon, title } = sections[name]
        return (
          <PageLink key={name} path={path} aria-current={current?.section === name ? 'page' : undefined}>
            <Icon size={20} aria-hidden />
            <span>{name === 'conversations' ? t('chats') : title[language]}</span>
            {name === 'approvals' && waiting > 0 && <b className={styles['dot']}>{countText(waiting)}</b>}
          </PageLink>
        )
      })}
      <button type="button" onClick={() => setOpen(true)} aria-haspopup="dialog">
        <Ellipsis size={20} aria-hidden />
        <span>{t('more')}</span>
      </button>
      {isOpen && (
        <Suspense>
          <MoreSheet waiting={waiting} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </nav>
  )
}
