/** The field of one setting, by its type. The value is always text, which the service parses. */
import { NativeSelect, PasswordInput, Switch, Textarea, TextInput } from '@mantine/core'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import type { Setting } from './draft.ts'
import { settingsText } from './text.ts'

interface EditorProps {
  setting: Setting
  label: string
  text: string
  error: string | undefined
  isReadOnly: boolean
  isChanged: boolean
  onText(text: string): void
}

/** Longer values and documents get a field with several lines. */
const isLong = ({ type, key }: Setting, text: string): boolean =>
  type === 'json' || text.length > 80 || text.includes('\n') || /_PROMPT$|_CERT$|_METADATA$|_REFUSAL$/.test(key)

export function Editor({ setting, label, text, error, isReadOnly, isChanged, onText }: EditorProps) {
  const t = useText(settingsText)
  const c = useText(sharedText)
  const { key, type, options } = setting
  const field = {
    'aria-label': `${label} (${key})`,
    error,
    disabled: isReadOnly,
    w: '100%',
    'data-changed': isChanged || undefined,
  }
  if (setting.secret)
    return (
      <PasswordInput
        {...field}
        value={text}
        placeholder={setting.is_set ? '••••••••' : ''}
        description={t('secretHint')}
        autoComplete="new-password"
        onChange={(event) => onText(event.currentTarget.value)}
      />
    )
  if (type === 'bool') {
    const isOn = /^(1|true|on|yes)$/i.test(text)
    return (
      <Switch
        aria-label={`${label} (${key})`}
        disabled={isReadOnly}
        error={error}
        checked={isOn}
        label={c(isOn ? 'on' : 'off')}
        onChange={(event) => onText(event.currentTarget.checked ? '1' : '0')}
      />
    )
  }
  if (options)
    return (
      <NativeSelect
        {...field}
        value={text}
        data={options.map((value) => ({ value, label: value || t('blank') }))}
        onChange={(event) => onText(event.currentTarget.value)}
      />
    )
  if (isLong(setting, text))
    return (
      <Textarea
        {...field}
        value={text}
        autosize
        minRows={2}
        maxRows={12}
        spellCheck={false}
        onChange={(event) => onText(event.currentTarget.value)}
      />
    )
  return (
    <TextInput
      {...field}
      value={text}
      inputMode={type === 'int' || type === 'number' ? 'numeric' : undefined}
      spellCheck={false}
      onChange={(event) => onText(event.currentTarget.value)}
    />
  )
}
