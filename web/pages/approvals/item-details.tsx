/** One thing that waits: who asks, what happens then, its arguments, what led to it, what was decided before. */

import { useEffect, useRef, useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { KeyValue } from '../../parts/key-value.tsx'
import { State } from '../../parts/state.tsx'
import { Ago } from '../../parts/time.tsx'
import { turnOriginText } from '../../parts/turn-origin.ts'
import { useText } from '../../text/text.ts'
import { ArgumentsCard } from './arguments.tsx'
import { Asker, askedFor } from './asker.tsx'
import { Expiry } from './expiry.tsx'
import styles from './inbox.module.css'
import type { InboxItem } from './inbox-item.ts'
import { inboxKinds } from './kinds.ts'
import { approvalsText } from './text.ts'
import { visibleText } from './visible-json.ts'

const pauseMs = 400

interface ItemDetailsProps {
  item: InboxItem
  /** It follows on one that was just decided: it gets the focus, and its buttons wait for a moment. */
  isNext: boolean
  onDecided(): void
}

export function ItemDetails({ item, isNext, onDecided }: ItemDetailsProps) {
  const t = useText(approvalsText)
  const origin = useText(turnOriginText)
  const region = useRef<HTMLElement>(null)
  const isPausing = usePause(isNext)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is first shown
  useEffect(() => {
    if (isNext) region.current?.focus()
  }, [])
  const kind = inboxKinds[item.kind]
  const headline = kind?.headline(item, t) ?? item.kind
  const who = askedFor(item, origin)
  return (
    <section ref={region} className={styles['details']} aria-label={`${headline} ${item.tool}`} tabIndex={-1}>
      <header>
        <div className={styles['facts']}>
          <State state="waiting" isPill>
            {t('waitsForYou')}
          </State>
          <span>
            {t('requested')} <Ago iso={item.since} />
          </span>
          {item.expires_at !== null && <Expiry at={item.expires_at} />}
        </div>
        <h2>
          {headline} <code>{item.tool}</code>
        </h2>
        {who !== '' && <p className={styles['for']}>{t('for', { who })}</p>}
      </header>
      {kind && (
        <div className={styles['consequences']}>
          {kind.consequences(item, t).map(([title, words]) => (
            <p key={title}>
              <b>{title}</b> {words.join(' ')}
            </p>
          ))}
        </div>
      )}
      <div className={styles['columns']}>
        <div>
          <ArgumentsCard value={item.arguments} />
          <Said item={item} />
        </div>
        <div>
          <Card title={t('whoAsks')}>
            <Asker item={item} />
          </Card>
          <Before item={item} />
        </div>
      </div>
      {kind && (
        <div className={styles['decision']}>
          <kind.Decision item={item} isPausing={isPausing} onDecided={onDecided} />
        </div>
      )}
    </section>
  )
}

/** Whether the moment after another decision is not over yet. */
function usePause(isNeeded: boolean): boolean {
  const [isPausing, setPausing] = useState(isNeeded)
  useEffect(() => {
    if (!isPausing) return
    const timer = setTimeout(() => setPausing(false), pauseMs)
    return () => clearTimeout(timer)
  }, [isPausing])
  return isPausing
}

function Said({ item: { said, agent, asked_by } }: { item: InboxItem }) {
  const t = useText(approvalsText)
  const nameOf = (role: (typeof said)[number]['role']) => {
    if (role === 'assistant') return agent ?? t('agent')
    if (role === 'operator') return t('operator')
    return visibleText(asked_by?.sender_name ?? asked_by?.sender ?? t('person'))
  }
  return (
    <Card title={t('ledToIt')}>
      {said.length === 0 ? (
        <p className={styles['none']}>{t('nothingSaid')}</p>
      ) : (
        said.map(({ role, text }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: what was said does not move
          <div key={at} className={styles['said']}>
            <b>{nameOf(role)}</b>
            <p>{text}</p>
          </div>
        ))
      )}
    </Card>
  )
}

/** The tool, and what was decided on the newest calls of it by this agent. */
function Before({ item: { effect, precedents, agent } }: { item: InboxItem }) {
  const t = useText(approvalsText)
  if (effect === null && agent === null) return null
  return (
    <Card title={t('thisTool')}>
      {effect && <p className={styles['about']}>{effect.description}</p>}
      {agent !== null && (
        <KeyValue
          rows={[
            [t('approvedBefore'), precedents.approved],
            [t('refusedBefore'), precedents.refused],
          ]}
        />
      )}
      {precedents.newest.map(({ status, by, reason, at }) => (
        <div key={at} className={styles['precedent']}>
          <State state={status === 'approved' ? 'healthy' : 'failed'}>{t(status)}</State>
          <span>
            {by ?? '–'} · <Ago iso={at} />
          </span>
          {reason !== null && <q>{reason}</q>}
        </div>
      ))}
    </Card>
  )
}
