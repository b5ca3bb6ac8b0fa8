/** A number as it is typed: half of one, such as "0.", stands in the field until the rest of it comes. */
import { NumberInput, type NumberInputProps } from '@mantine/core'
import '@mantine/core/styles/NumberInput.css'
import { useState } from 'react'

interface NumberFieldProps extends Omit<NumberInputProps, 'value' | 'defaultValue' | 'onChange' | 'onBlur'> {
  value: number | undefined
  /** Undefined: the field is empty. With `required` that is never told: the form is not sent with an empty field. */
  onNumber(value: number | undefined): void
}

export function NumberField({ value, onNumber, ...rest }: NumberFieldProps) {
  /** What was typed and is no number as it stands, and the value that it stands for: another value is shown as it is. */
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
      {...rest}
      value={input && input.value === value ? input.text : (value ?? '')}
      onChange={change}
      onBlur={() => input?.text !== '' && setInput(undefined)}
    />
  )
}
