/** One key beside the list: what it may do, until when, what it has used of its budget; rotated and revoked from here. */
import { Anchor, Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { DetailPane } from '../../parts/detail-pane.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { IdText } from '../../parts/id-text.tsx'
import { KeyValue } from '../../parts/key-value.tsx'
import { linkTo } from '../../parts/link-to.tsx'
import { LoadingRows } from '../../parts/loading-rows.tsx'
import { useMayOpen } from '../../parts/may-open.ts'
import { Time } from '../../parts/time.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import type { Budget } from '../budgets/budget.ts'
import { BudgetMeter } from './budget-meter.tsx'
import { type KeyAction, limitsOf } from './columns.tsx'
import { type Key, mayRotate, scopeTexts, stateOf } from './key.ts'
import { KeyStateBadge } from './key-state-badge.tsx'
import styles from './keys.module.css'
import { keysText } from './text.ts'

interface KeyPaneProps {
  id: string
  budgetOf(key: Key): Budget | undefined
  onDo(action: KeyAction, key: Key): void
  onClose(): void
}

export default function KeyPane({ id, budgetOf, onDo, onClose }: KeyPaneProps) {
  const t = useText(keysText)
  const { data, error, refetch } = useQuery({
    queryKey: ['keys', 'one', id],
    queryFn: ({ signal }) => call('GET /v1/admin/apikeys/{key_id}', { params: { key_id: id }, signal }),
  })
  return (
    <DetailPane title={data?.name ?? t('key')} label={t('pane')} onClose={onClose}>
      <ErrorPanel error={error} messages={{ not_found: t('gone') }} onRetry={() => void refetch()} />
      {data ? (
        <Details of={data} budget={budgetOf(data)} onDo={onDo} />
      ) : (
        error === null && <LoadingRows label={t('pane')} />
      )}
    </DetailPane>
  )
}

interface DetailsProps {
  of: Key
  budget: Budget | undefined
  onDo: KeyPaneProps['onDo']
}

function Details({ of, budget, onDo }: DetailsProps) {
  const t = useText(keysText)
  const c = useText(sharedText)
  const mayOpen = useMayOpen()
  const scopes = (
    <span className={styles['scopes']}>
      {of.scopes.map((scope) => (
        <span key={scope} title={scope}>
          {t(scopeTexts[scope])}
        </span>
      ))}
    </span>
  )
  return (
    <>
      {budget && <BudgetMeter of={budget} name={of.name} isWhole />}
      <KeyValue
        rows={[
          [c('status'), <KeyStateBadge key="state" of={of} isUsedUp={budget?.state === 'hard'} />],
          [t('scopes'), scopes],
          [t('kind'), <KindOf key="kind" of={of} />],
          [t('limits'), limitsOf(of, t).join(', ') || '–'],
          ...(of.allowed_ips.length === 0 ? [] : [[t('addresses'), of.allowed_ips.join(', ')] as const]),
          [t('lastUse'), <Time key="used" iso={of.used_at} never={t('unused')} />],
          [t('ends'), <Time key="ends" iso={of.revoked_at ?? of.expires_at} never={t('never')} />],
          [t('created'), <Time key="created" iso={of.created_at} />],
          [
            t('begins'),
            <span key="hint" className="mono">
              {of.hint}
            </span>,
          ],
          [t('id'), <IdText key="id" id={of.id} />],
        ]}
      />
      {of.made_with !== null && (
        <Text size="sm">
          <Anchor inherit renderRoot={linkTo('/keys', { open: of.made_with })}>
            {t('madeWith')}
          </Anchor>
        </Text>
      )}
      <Group gap="sm" role="group" aria-label={c('actions')}>
        {mayOpen('/analytics', 'usage.read') && (
          <Button variant="default" renderRoot={linkTo('/analytics', { span: '30d', by: 'key', value: of.id })}>
            {t('toUsage')}
          </Button>
        )}
        {mayOpen('/budgets', 'money.read') && (
          <Button variant="default" renderRoot={linkTo('/budgets', budget && { open: budget.id })}>
            {t('toBudgets')}
          </Button>
        )}
        <Actions of={of} onDo={onDo} />
      </Group>
    </>
  )
}

function KindOf({ of }: { of: Key }) {
  const t = useText(keysText)
  const mayOpen = useMayOpen()
  if (of.operator_id === null) return t(of.kind === 'personal' ? 'kindPersonal' : 'kindService')
  if (!mayOpen('/operators', 'operators.read')) return t('kindPersonal')
  return (
    <Anchor inherit renderRoot={linkTo('/operators', { operator: of.operator_id })}>
      {t('kindPersonal')}
    </Anchor>
  )
}

function Actions({ of, onDo }: Pick<DetailsProps, 'of' | 'onDo'>) {
  const t = useText(keysText)
  const c = useText(sharedText)
  const { may, session } = useSession()
  if (!may('keys.write') || stateOf(of) !== 'active') return null
  return (
    <>
      {mayRotate(of, session.role) && (
        <Button variant="default" onClick={() => onDo('rotate', of)}>
          {t('rotate')}
        </Button>
      )}
      <Button variant="default" color="red" onClick={() => onDo('revoke', of)}>
        {c('revoke')}
      </Button>
    </>
  )
}
