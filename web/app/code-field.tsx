/** The field of a code: of an authenticator app, or one of the recovery codes. */
import { TextInput, type TextInputProps } from '@mantine/core'
import type { Ref } from 'react'
import { useText } from '../text/text.ts'
import { factorText } from './factor-text.ts'

interface CodeFieldProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value: string
  onCode(code: string): void
  ref?: Ref<HTMLInputElement>
}

export function CodeField({ value, onCode, ...rest }: CodeFieldProps) {
  const f = useText(factorText)
  return (
    <TextInput
      label={f('code')}
      name="code"
      autoComplete="one-time-code"
      spellCheck={false}
      required
      {...rest}
      value={value}
      onChange={(event) => onCode(event.currentTarget.value)}
    />
  )
}
