/** What waits, the most urgent first, in groups by kind; J K ↓ ↑ go from one to the next. */

import { type KeyboardEvent, useRef } from 'react'
import { Ago } from '../../parts/time.tsx'
import { turnOriginText } from '../../parts/turn-origin.ts'
import { rowStepOf } from '../../parts/use-row-keys.ts'
import { Words } from '../../parts/words.tsx'
import { useText } from '../../text/text.ts'
import { argumentsLine } from './arguments.tsx'
import { askedFor } from './asker.tsx'
import { Expiry } from './expiry.tsx'
import styles from './inbox.module.css'
import type { InboxItem } from './inbox-item.ts'
import { inboxKinds } from './kinds.ts'
import { approvalsText } from './text.ts'

interface ItemListProps {
  items: readonly InboxItem[]
  kinds: readonly { kind: string; count: number }[]
  openId: string
  onOpen(id: string): void
}

export function ItemList({ items, kinds, openId, onOpen }: ItemListProps) {
  const t = useText(approvalsText)
  const list = useRef<HTMLElement>(null)
  const groups = kinds
    .map(({ kind, count }) => ({ kind, count, items: items.filter((item) => item.kind === kind) }))
    .filter((group) => group.items.length > 0)
  function press(event: KeyboardEvent): void {
    const by = rowStepOf(event)
    if (by === undefined) return
    event.preventDefault()
    const rows = [...(list.current?.querySelectorAll('button') ?? [])]
    rows[
      Math.max(0, Math.min(rows.length - 1, rows.indexOf(document.activeElement as HTMLButtonElement) + by))
    ]?.focus()
  }
  return (
    <section ref={list} className={styles['items']} aria-label={t('waiting')} onKeyDown={press}>
      {groups.map((group) => {
        const heading = inboxKinds[group.kind]?.heading
        return (
          <div key={group.kind}>
            {groups.length > 1 && (
              <h2 className={styles['kind']}>
                {heading === undefined ? group.kind : t(heading)} <span>{group.count}</span>
              </h2>
            )}
            <ul>
              {group.items.map((item) => (
                <li key={item.id}>
                  <button
                    className={styles['item']}
                    type="button"
                    aria-current={item.id === openId || undefined}
                    onClick={() => onOpen(item.id)}
                  >
                    <ItemLines item={item} />
                  </button>
                </li>
              ))}
            </ul>
            {group.count > group.items.length && (
              <p className={styles['more']}>{t('shownOf', { n: group.items.length, all: group.count })}</p>
            )}
          </div>
        )
      })}
    </section>
  )
}

function ItemLines({ item }: { item: InboxItem }) {
  const t = useText(approvalsText)
  const origin = useText(turnOriginText)
  return (
    <>
      <span className={styles['line']}>
        <b className="cut">{item.tool}</b>
        <Ago iso={item.since} />
      </span>
      <span className="cut">
        <Words>{argumentsLine(item.arguments) || t('noArguments')}</Words>
      </span>
      <span className="cut">
        {item.agent !== null && `${item.agent} · `}
        <Words>{askedFor(item, origin) || '–'}</Words>
      </span>
      <span className={styles['line']}>
        <Expiry at={item.expires_at} />
        {item.effect && <span className={styles['tag']}>{t(`does_${item.effect.risk}`)}</span>}
      </span>
    </>
  )
}
