/** The foot of the menu: the service's state and version, and how many nodes serve. */
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { StateMark } from '../parts/state.tsx'
import { useText } from '../text/text.ts'
import { useSession } from './session.tsx'
import styles from './shell.module.css'
import { appText } from './text.ts'

const refetchMs = 30_000

export function MenuFoot() {
  const t = useText(appText)
  const { may } = useSession()
  const overview = useQuery({
    queryKey: ['overview'],
    queryFn: ({ signal }) => call('GET /v1/admin/overview', { signal }),
    refetchInterval: refetchMs,
    enabled: may('overview.read'),
  })
  const nodes = useQuery({
    queryKey: ['nodes', 'serving'],
    queryFn: async ({ signal }) =>
      (await call('GET /v1/admin/nodes', { signal })).items.filter(({ state }) => state === 'running').length,
    refetchInterval: refetchMs,
    enabled: may('nodes.read'),
  })
  if (!overview.data) return null
  const { health, version } = overview.data
  const state = overview.isError || !health.ready ? 'failed' : 'healthy'
  return (
    <footer className={styles['foot']}>
      <StateMark state={state} label={t(state === 'healthy' ? 'serviceHealthy' : 'serviceUnhealthy')} />
      <span data-word>{version}</span>
      {nodes.data !== undefined && <span>{t('nodes', { n: nodes.data })}</span>}
    </footer>
  )
}
