/** The frame of every page: the bar, the menu, the page itself, and on a phone the bar at the bottom. */
import { useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import { countText } from '../parts/count.tsx'
import { useWaitingCount } from '../parts/waiting.ts'
import { useText } from '../text/text.ts'
import { Bar } from './bar.tsx'
import { Gate } from './gate.tsx'
import { Menu } from './menu.tsx'
import { setTitleCount } from './page-title.ts'
import { PhoneBar } from './phone-bar.tsx'
import { useSession } from './session.tsx'
import styles from './shell.module.css'
import { appText } from './text.ts'

const FactorPrompt = lazy(() => import('./factor-prompt.tsx'))
const Toasts = lazy(() => import('../parts/toast.tsx'))
const Keys = lazy(() => import('./keys.tsx'))
const WaitingNotifications = lazy(() => import('./waiting-notifications.tsx'))

export function Shell() {
  const t = useText(appText)
  const { session, may } = useSession()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const waiting = useWaitingCount()
  useEffect(() => setTitleCount(countText(waiting)), [waiting])
  return (
    <div className={styles['app']}>
      <a href="#content" className="skip-link">
        {t('skip')}
      </a>
      <Bar waiting={waiting} />
      <Menu waiting={waiting} />
      <main id="content" className={styles['main']} tabIndex={-1}>
        {session.second_factor_wanted && path !== '/account' && (
          <Suspense>
            <FactorPrompt />
          </Suspense>
        )}
        <Gate />
      </main>
      <PhoneBar waiting={waiting} />
      <Suspense>
        <Keys />
        <Toasts />
        {may('approvals.read') && may('events.read') && <WaitingNotifications />}
      </Suspense>
    </div>
  )
}
