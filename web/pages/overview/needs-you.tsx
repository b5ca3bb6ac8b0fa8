/** What needs a person: one line a kind, each with the way there. Empty says so. */
import { Bell, ChevronRight, Clock, KeyRound, RotateCw, Send } from 'lucide-react'
import type { ReactNode } from 'react'
import { Card, CardList } from '../../parts/card.tsx'
import { Count } from '../../parts/count.tsx'
import { useFiringCount } from '../../parts/firing.ts'
import { PageLink } from '../../parts/link-to.tsx'
import { useMayOpen } from '../../parts/may-open.ts'
import { useWaitingCount } from '../../parts/waiting.ts'
import { useText } from '../../text/text.ts'
import type { Overview } from './health.tsx'
import styles from './overview.module.css'
import { overviewText } from './text.ts'

interface Need {
  key: string
  icon: ReactNode
  title: string
  next: string
  path: string
  search?: Record<string, string>
}

export function NeedsYou({ overview, pendingRestart }: { overview: Overview; pendingRestart: number }) {
  const t = useText(overviewText)
  const needs = useNeeds(overview, pendingRestart)
  return (
    <Card
      title={
        <span className={styles['title']}>
          {t('needsYou')} <Count count={needs.length} />
        </span>
      }
      label={t('needsYou')}
      isFlush
    >
      {needs.length === 0 ? (
        <p className={styles['healthy']}>{t('nothingNeedsYou')}</p>
      ) : (
        <CardList>
          {needs.map(({ key, icon, title, next, path, search }) => (
            <PageLink key={key} path={path} {...(search && { search })}>
              {icon}
              <span className={styles['need']}>
                <b>{title}</b>
                <small>{next}</small>
              </span>
              <ChevronRight size={16} aria-hidden className={styles['go']} />
            </PageLink>
          ))}
        </CardList>
      )}
    </Card>
  )
}

function useNeeds({ counts, key_refused_by: refusing }: Overview, pendingRestart: number): Need[] {
  const t = useText(overviewText)
  const mayOpen = useMayOpen()
  const approvals = useWaitingCount()
  const alerts = useFiringCount()
  const lost = counts.deliveries.undeliverable ?? 0
  const needs: (Need | false)[] = [
    approvals > 0 &&
      mayOpen('/approvals', 'approvals.read') && {
        key: 'approvals',
        icon: <Clock size={16} color="var(--wait-mark)" aria-hidden />,
        title: t('approvalsWait', { n: approvals }),
        next: t('toApprovals'),
        path: '/approvals',
      },
    alerts > 0 &&
      mayOpen('/alerts', 'alerts.read') && {
        key: 'alerts',
        icon: <Bell size={16} color="var(--bad-mark)" aria-hidden />,
        title: t('alertsFire', { n: alerts }),
        next: t('toAlerts'),
        path: '/alerts',
        search: { state: 'firing' },
      },
    refusing.length > 0 &&
      mayOpen('/models', 'models.read') && {
        key: 'model key',
        icon: <KeyRound size={16} color="var(--bad-mark)" aria-hidden />,
        title: t('keyRefused', { n: refusing.length, names: refusing.join(', ') }),
        next: t('toModels'),
        path: '/models',
      },
    lost > 0 &&
      mayOpen('/deliveries', 'deliveries.read') && {
        key: 'deliveries',
        icon: <Send size={16} color="var(--bad-mark)" aria-hidden />,
        title: t('deliveriesLost', { n: lost }),
        next: t('toDeliveries'),
        path: '/deliveries',
        search: { status: 'undeliverable' },
      },
    pendingRestart > 0 &&
      mayOpen('/settings', 'settings.read') && {
        key: 'restart',
        icon: <RotateCw size={16} color="var(--warn-mark)" aria-hidden />,
        title: t('restart', { n: pendingRestart }),
        next: t('toSettings'),
        path: '/settings',
      },
  ]
  return needs.filter((need) => need !== false)
}
