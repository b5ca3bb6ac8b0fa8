/** One line of the log: time, level, message; its fields unfold, and ids in them link to their pages. */

import { Anchor, Group } from '@mantine/core'
import { CopyText } from '../../parts/copy-text.tsx'
import { linkTo } from '../../parts/link-to.tsx'
import { useMayOpen } from '../../parts/may-open.ts'
import { useText } from '../../text/text.ts'
import type { LogLine } from './entries.ts'
import styles from './log.module.css'
import { logText } from './text.ts'

interface LineProps {
  line: LogLine
  isOpen: boolean
  onToggle(): void
}

export function Line({ line, isOpen, onToggle }: LineProps) {
  return (
    <>
      <button type="button" className={styles['line']} aria-expanded={isOpen} onClick={onToggle}>
        <time dateTime={line.time} title={line.time}>
          {clock(line.time)}
        </time>
        <span>{line.level}</span>
        <span className={styles['text']}>
          {line.msg} <span className={styles['brief']}>{summaryOf(line.fields)}</span>
        </span>
      </button>
      {isOpen && <Fields line={line} />}
    </>
  )
}

const clockFormat = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
})
const clock = (iso: string): string => clockFormat.format(new Date(iso))

const hiddenFields = new Set(['pid', 'hostname'])
const summaryCharactersMax = 300

/** The fields, cut to the characters that fit a line. */
function summaryOf(fields: LogLine['fields']): string {
  let text = ''
  for (const [name, value] of Object.entries(fields)) {
    if (hiddenFields.has(name)) continue
    text += `${name}=${typeof value === 'string' ? value : JSON.stringify(value)} `
    if (text.length > summaryCharactersMax) return text.slice(0, summaryCharactersMax)
  }
  return text
}

function Fields({ line }: { line: LogLine }) {
  const t = useText(logText)
  const mayOpen = useMayOpen()
  const { node, time, level, msg, fields } = line
  const turn = idIn(fields, 'turn')
  const conversation = idIn(fields, 'conv')
  return (
    <div className={styles['fields']}>
      <CopyText text={JSON.stringify({ time, level, node, msg, ...fields }, null, 2)} label={t('fields')} />
      <Group gap="md">
        {turn !== undefined && mayOpen('/turns/$id', 'conversations.read') && (
          <Anchor renderRoot={linkTo(`/turns/${turn}`)}>{t('turn')}</Anchor>
        )}
        {conversation !== undefined && mayOpen('/conversations/$id', 'conversations.read') && (
          <Anchor renderRoot={linkTo(`/conversations/${conversation}`)}>{t('conversation')}</Anchor>
        )}
      </Group>
    </div>
  )
}

/** The first id of this kind in any field. */
function idIn(fields: LogLine['fields'], kind: 'turn' | 'conv'): string | undefined {
  return new RegExp(`\\b${kind}_[0-9a-f]{32}\\b`).exec(JSON.stringify(fields))?.[0]
}
