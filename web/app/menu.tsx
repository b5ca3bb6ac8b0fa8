/** The menu at the left: sections in groups, each with its count, and at the foot version, nodes and state of the service. */

import { tabsOf } from '../pages/pages.ts'
import { type GroupName, groups, type SectionName, sectionNames, sections } from '../pages/sections.ts'
import { Count, type CountTone } from '../parts/count.tsx'
import { useFiringCount } from '../parts/firing.ts'
import { PageLink } from '../parts/link-to.tsx'
import { sharedText } from '../text/shared-text.ts'
import { useLanguage, useText } from '../text/text.ts'
import { useCurrentPage } from './current-page.ts'
import { MenuFoot } from './menu-foot.tsx'
import { useSession } from './session.tsx'
import styles from './shell.module.css'

export function Menu({ waiting }: { waiting: number }) {
  const c = useText(sharedText)
  return (
    <div className={styles['side']}>
      <nav aria-label={c('showMenu')} className={styles['nav']}>
        <MenuLinks waiting={waiting} />
      </nav>
      <MenuFoot />
    </div>
  )
}

export function MenuLinks({ waiting }: { waiting: number }) {
  const language = useLanguage()
  const { may } = useSession()
  const firing = useFiringCount()
  const shown = sectionNames.filter((name) => tabsOf(name, may).length > 0)
  const of = (group: GroupName | undefined) => shown.filter((name) => sections[name].group === group)
  const counts: Partial<Record<SectionName, { count: number; tone: CountTone }>> = {
    approvals: { count: waiting, tone: 'wait' },
    alerts: { count: firing, tone: 'bad' },
  }
  const links = (names: readonly SectionName[]) =>
    names.map((name) => <MenuLink key={name} name={name} {...counts[name]} />)
  return (
    <>
      {links(of(undefined))}
      {(Object.keys(groups) as GroupName[]).map((group) => {
        const names = of(group)
        if (names.length === 0) return null
        return (
          <div key={group} className={styles['part']}>
            <div className={styles['group']}>{groups[group][language]}</div>
            {links(names)}
          </div>
        )
      })}
    </>
  )
}

function MenuLink({ name, count = 0, tone }: { name: SectionName; count?: number; tone?: CountTone }) {
  const language = useLanguage()
  const { may } = useSession()
  const current = useCurrentPage()
  const { title, icon: Icon } = sections[name]
  return (
    <PageLink
      path={tabsOf(name, may)[0]?.path ?? '/'}
      aria-current={current?.section === name ? 'page' : undefined}
      title={title[language]}
    >
      <Icon size={16} aria-hidden />
      <span>{title[language]}</span>
      <Count count={count} tone={tone} />
    </PageLink>
  )
}
