/** One line of the log: time, level, message, node; its fields unfold as rows, and ids in them lead to their pages. */
import { Anchor, Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyButton } from '../../parts/copy-button.tsx'
import { KeyValue } from '../../parts/key-value.tsx'
import { linkTo } from '../../parts/link-to.tsx'
import { useMayOpen } from '../../parts/may-open.ts'
import { useText } from '../../text/text.ts'
import { clock } from './clock.ts'
import type { LogLine } from './entries.ts'
import styles from './log.module.css'
import { logText } from './text.ts'

interface LineProps {
  line: LogLine
  isOpen: boolean
  /** There are several nodes. */
  hasNode: boolean
  onToggle(): void
  onSearch(text: string): void
}

export function Line({ line, isOpen, hasNode, onToggle, onSearch }: LineProps) {
  const t = useText(logText)
  return (
    <>
      <button
        type="button"
        data-line
        data-node={hasNode || undefined}
        className={styles['line']}
        aria-expanded={isOpen}
        onClick={onToggle}
      >
        <time dateTime={line.time} title={line.time}>
          {clock(line.time)}
        </time>
        <span className={styles['level']}>{line.level}</span>
        <span className={styles['text']}>
          {line.msg} <span className={styles['brief']}>{summaryOf(line.fields)}</span>
        </span>
        {hasNode && <span className={styles['node']}>{t('nodeN', { id: String(line.node) })}</span>}
      </button>
      {isOpen && <Fields line={line} onSearch={onSearch} />}
    </>
  )
}

const hiddenFields = new Set(['pid', 'hostname'])
const summaryCharactersMax = 300

const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** The fields, cut to the characters that fit a line. */
function summaryOf(fields: LogLine['fields']): string {
  let text = ''
  for (const [name, value] of Object.entries(fields)) {
    if (hiddenFields.has(name)) continue
    text += `${name}=${valueText(value)} `
    if (text.length > summaryCharactersMax) return text.slice(0, summaryCharactersMax)
  }
  return text
}

function Fields({ line, onSearch }: { line: LogLine; onSearch(text: string): void }) {
  const t = useText(logText)
  const mayOpen = useMayOpen()
  const { node, time, level, msg, fields } = line
  const turn = idIn(fields, 'turn')
  const conversation = idIn(fields, 'conv')
  const rows: [string, ReactNode][] = [
    [t('message'), msg || '–'],
    [t('node'), node],
    ...Object.entries(fields).map(([name, value]): [string, ReactNode] => [
      name,
      <span key={name} className={styles['value']}>
        {typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : valueText(value)}
      </span>,
    ]),
  ]
  return (
    <section className={styles['fields']} aria-label={t('fields')}>
      <KeyValue isLeft rows={rows} />
      <div className={styles['actions']}>
        {turn !== undefined && mayOpen('/turns/$id', 'conversations.read') && (
          <Anchor size="sm" renderRoot={linkTo(`/turns/${turn}`)}>
            {t('turn')}
          </Anchor>
        )}
        {conversation !== undefined && mayOpen('/conversations/$id', 'conversations.read') && (
          <Anchor size="sm" renderRoot={linkTo(`/conversations/${conversation}`)}>
            {t('conversation')}
          </Anchor>
        )}
        {turn !== undefined && (
          <Button size="xs" variant="default" onClick={() => onSearch(turn)}>
            {t('onlyTurn')}
          </Button>
        )}
        <CopyButton text={() => JSON.stringify({ time, level, node, msg, ...fields }, null, 2)}>
          {t('copyJson')}
        </CopyButton>
      </div>
    </section>
  )
}

/** The first id of this kind in any field. */
function idIn(fields: LogLine['fields'], kind: 'turn' | 'conv'): string | undefined {
  return new RegExp(`\\b${kind}_[0-9a-f]{32}\\b`).exec(JSON.stringify(fields))?.[0]
}
