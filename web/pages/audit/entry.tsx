/** One entry of the audit log beside the list: who, what, from where, and the fields before and after. */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { DetailPane } from '../../parts/detail-pane.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { IdText } from '../../parts/id-text.tsx'
import { KeyValue } from '../../parts/key-value.tsx'
import { LoadingRows } from '../../parts/loading-rows.tsx'
import { Time } from '../../parts/time.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { actionText, actionWords } from './action-text.ts'
import styles from './audit.module.css'
import type { Entry } from './audit-entry.ts'
import { type FieldChange, fieldChanges } from './field-changes.ts'
import { Actor, Target, useActorName } from './names.tsx'
import { auditText } from './text.ts'

interface EntryDetailsProps {
  id: string
  /** Where the list has it already. */
  listed: Entry | undefined
  onFilter(change: { actor: string } | { target: string }): void
  onClose(): void
}

export function EntryDetails({ id, listed, onFilter, onClose }: EntryDetailsProps) {
  const t = useText(auditText)
  const c = useText(sharedText)
  const words = useText(actionText)
  const found = useQuery({
    queryKey: ['audit-entry', id],
    queryFn: ({ signal }) => call('GET /v1/admin/audit', { query: { id, limit: 1 }, signal }),
    enabled: listed === undefined,
  })
  const entry = listed ?? found.data?.items[0]
  return (
    <DetailPane title={entry ? actionWords(words, entry.action) : t('entry')} label={t('entry')} onClose={onClose}>
      {!entry && <ErrorPanel error={found.error} onRetry={() => void found.refetch()} />}
      {!entry && found.isPending && <LoadingRows label={c('loading')} />}
      {!entry && found.data && <EmptyState title={t('entryGone')} />}
      {entry && <Details entry={entry} onFilter={onFilter} />}
    </DetailPane>
  )
}

function Details({ entry, onFilter }: { entry: Entry; onFilter: EntryDetailsProps['onFilter'] }) {
  const t = useText(auditText)
  const actorName = useActorName()
  const { actor, target } = entry
  return (
    <div className={styles['pane']}>
      <KeyValue
        isLeft
        rows={[
          [t('at'), <Time key="at" iso={entry.at} />],
          [
            t('actor'),
            <span key="actor">
              <Actor entry={entry} /> {entry.actor_name !== null && <IdText id={actor} />}
            </span>,
          ],
          [
            t('target'),
            <span key="target">
              <Target entry={entry} />{' '}
              {target !== null && (isId(target) || entry.action.startsWith('setting.')) && <IdText id={target} />}
            </span>,
          ],
          [t('ip'), entry.ip || '–'],
          [t('request'), entry.request_id === '' ? '–' : <IdText key="request" id={entry.request_id} />],
          [t('technical'), <code key="action">{entry.action}</code>],
          [t('seq'), entry.seq],
        ]}
      />
      <Changes entry={entry} />
      <div className={styles['actions']}>
        <Button size="xs" variant="default" onClick={() => onFilter({ actor })}>
          {t('sameActor', { actor: actorName(entry) })}
        </Button>
        {target !== null && (
          <Button size="xs" variant="default" onClick={() => onFilter({ target })}>
            {t('sameTarget')}
          </Button>
        )}
      </div>
    </div>
  )
}

const isId = (text: string): boolean => /_[0-9a-f]{32}$/.test(text)

function Changes({ entry }: { entry: Entry }) {
  const t = useText(auditText)
  const { detail, before_digest, after_digest } = entry
  const changes = detail === null ? [] : fieldChanges(detail.before, detail.after)
  if (changes.length > 0)
    return (
      <section className={styles['changes']}>
        <h3>{t('changes')}</h3>
        {changes.map((change) => (
          <Changed key={change.field} change={change} />
        ))}
      </section>
    )
  if (before_digest === null && after_digest === null) return <p>{t('nothingKept')}</p>
  const digest = (text: string | null) => (text === null ? t('absent') : <IdText id={text} />)
  return (
    <section>
      <p>{t('digestsOnly')}</p>
      <KeyValue
        isLeft
        rows={[
          [t('before'), digest(before_digest)],
          [t('after'), digest(after_digest)],
        ]}
      />
    </section>
  )
}

function Changed({ change: { field, before, after } }: { change: FieldChange }) {
  const t = useText(auditText)
  const side = (is: 'removed' | 'added', title: string, value: string | undefined) =>
    value !== undefined && (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      <section className={styles['value']} data-is={is} tabIndex={0} aria-label={`${field} · ${title}`}>
        <b aria-hidden>{is === 'removed' ? '− ' : '+ '}</b>
        {value}
      </section>
    )
  return (
    <div>
      {field !== '' && <div className={styles['field']}>{field}</div>}
      {side('removed', t('before'), before)}
      {side('added', t('after'), after)}
    </div>
  )
}
