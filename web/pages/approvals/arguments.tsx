/** The arguments of a call, exactly: as fields, or as JSON. */
import { Code } from '@mantine/core'
import { useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { KeyValue } from '../../parts/key-value.tsx'
import { useText } from '../../text/text.ts'
import styles from './inbox.module.css'
import { approvalsText } from './text.ts'
import { visibleJson, visibleText } from './visible-json.ts'

const forms = ['fields', 'json'] as const

export function ArgumentsCard({ value }: { value: unknown }) {
  const t = useText(approvalsText)
  const fields = fieldsOf(value)
  const [form, setForm] = useState<(typeof forms)[number]>('fields')
  const choice = fields && (
    <div className={styles['choice']}>
      {forms.map((one) => (
        <button key={one} type="button" aria-pressed={one === form} onClick={() => setForm(one)}>
          {t(one)}
        </button>
      ))}
    </div>
  )
  return (
    <Card title={t('arguments')} actions={choice}>
      {fields && form === 'fields' ? (
        <KeyValue
          isLeft
          rows={fields.map(([name, one]) => [<code key={name}>{visibleText(name)}</code>, fieldValue(one)])}
        />
      ) : (
        <ArgumentsJson value={value} />
      )}
    </Card>
  )
}

export function ArgumentsJson({ value }: { value: unknown }) {
  const t = useText(approvalsText)
  return (
    <Code block tabIndex={0} role="group" aria-label={t('arguments')} mah={320} className={styles['json'] ?? ''}>
      {visibleJson(value)}
    </Code>
  )
}

const fieldValue = (value: unknown) =>
  typeof value === 'string' && value !== '' ? (
    <span className={styles['value']}>{visibleText(value)}</span>
  ) : (
    <code className={styles['value']}>{visibleJson(value)}</code>
  )

/** Undefined: there is nothing to lay out in fields. */
function fieldsOf(value: unknown): [string, unknown][] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const fields = Object.entries(value)
  return fields.length === 0 ? undefined : fields
}

const wordsMax = 3
const lengthMax = 140

/** What tells one call of a tool from another in a list: its first plain arguments, in one line. */
export function argumentsLine(value: unknown): string {
  const plain = (fieldsOf(value) ?? []).flatMap(([, one]) =>
    (typeof one === 'string' && one !== '') || typeof one === 'number' ? [String(one).slice(0, lengthMax)] : [],
  )
  return visibleText(plain.slice(0, wordsMax).join(' · ')).replaceAll(/\s+/g, ' ').slice(0, lengthMax)
}
