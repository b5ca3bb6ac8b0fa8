/** The health of the service, and what there is in the workspace, with the way to each. */
import type { ReactNode } from 'react'
import type { Permission } from '../../api/session.ts'
import type { Answer } from '../../api/types.ts'
import { Card, CardList } from '../../parts/card.tsx'
import { numberText } from '../../parts/format.ts'
import { PageLink } from '../../parts/link-to.tsx'
import { useMayOpen } from '../../parts/may-open.ts'
import { State } from '../../parts/state.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import styles from './overview.module.css'
import { overviewText } from './text.ts'

export type Overview = Answer<'GET /v1/admin/overview'>

export function ServiceHealth({ overview }: { overview: Overview }) {
  const t = useText(overviewText)
  const language = useLanguage()
  const { health, version, queue, counts } = overview
  const count = (n: number, isLeast = false) =>
    isLeast ? t('atLeast', { n: numberText(n, language) }) : numberText(n, language)
  return (
    <Card title={t('health')} fact={`${t('version')} ${version}`} isFlush>
      <CardList>
        <Row name={t('service')}>
          <State state={health.ready ? 'healthy' : health.draining ? 'degraded' : 'failed'}>
            {t(health.ready ? 'ready' : health.draining ? 'draining' : 'notReady')}
          </State>
        </Row>
        <Row name={t('database')}>
          <State state={health.database === 'up' ? 'healthy' : 'failed'}>
            {t(health.database === 'up' ? 'databaseUp' : 'databaseDown')}
          </State>
        </Row>
        {(health.schema === 'pending' || health.schema === 'newer') && (
          <Row name={t('schema')}>
            <State state="failed">{t(health.schema === 'pending' ? 'schemaPending' : 'schemaNewer')}</State>
          </Row>
        )}
        {queue.silent_nodes > 0 && (
          <Row name={t('nodes')} path="/nodes" permission="nodes.read">
            <State state="degraded">{t('silentNodes', { n: queue.silent_nodes })}</State>
          </Row>
        )}
        <Row name={t('running')} path="/turns" permission="conversations.read" search={{ status: 'running' }}>
          {count(queue.running)}
        </Row>
        <Row name={t('queued')} path="/turns" permission="conversations.read" search={{ status: 'queued' }}>
          {count(queue.waiting)}
        </Row>
        <Row name={t('conversations')} path="/conversations" permission="conversations.read">
          {count(counts.conversations, overview.at_least.includes('conversations'))}
        </Row>
        <Row name={t('messages')}>{count(counts.messages, overview.at_least.includes('messages'))}</Row>
        <Row name={t('channels')} path="/channels" permission="channels.read">
          {count(counts.channels)}
        </Row>
        <Row name={t('keys')} path="/keys" permission="keys.read">
          {count(counts.api_keys)}
        </Row>
      </CardList>
    </Card>
  )
}

interface RowProps {
  name: string
  path?: string
  permission?: Permission
  search?: Record<string, string>
  children: ReactNode
}

function Row({ name, path, permission, search, children }: RowProps) {
  const mayOpen = useMayOpen()
  const content = (
    <>
      <span>{name}</span>
      <span>{children}</span>
    </>
  )
  return path !== undefined && permission !== undefined && mayOpen(path, permission) ? (
    <PageLink path={path} {...(search && { search })} className={styles['row']}>
      {content}
    </PageLink>
  ) : (
    <div className={styles['row']}>{content}</div>
  )
}
