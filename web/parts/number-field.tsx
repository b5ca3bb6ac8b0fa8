/** A number field that keeps incomplete input such as "0." while it is typed. */
import { NumberInput, type NumberInputProps } from '@mantine/core'
import { useState } from 'react'
import styles from './number-field.module.css'

interface NumberFieldProps extends Omit<NumberInputProps, 'value' | 'defaultValue' | 'onChange' | 'onBlur'> {
  value: number | undefined
  /** Undefined: the field is empty. With `required` it is never reported: an empty form is not submitted. */
  onNumber(value: number | undefined): void
  /** Behind the number, such as `ms`. */
  unit?: string
}

export function NumberField({ value, onNumber, unit, ...rest }: NumberFieldProps) {
  /** Incomplete input with the value it was typed for; a different value from outside replaces it. */
  const [input, setInput] = useState<{ text: string; value: number | undefined }>()
  function change(entered: number | string | bigint): void {
    const text = String(entered)
    const number = text === '' || !Number.isFinite(Number(text)) ? undefined : Number(text)
    const entry = number === undefined && rest.required ? value : number
    setInput(typeof entered === 'string' ? { text, value: entry } : undefined)
    if (entry !== value) onNumber(entry)
  }
  return (
    <NumberInput
      {...(unit !== undefined && {
        rightSection: <span className={styles['unit']}>{unit}</span>,
        rightSectionWidth: 'auto',
        hideControls: true,
      })}
      {...rest}
      value={input && input.value === value ? input.text : (value ?? '')}
      onChange={change}
      onBlur={() => input?.text !== '' && setInput(undefined)}
    />
  )
}
