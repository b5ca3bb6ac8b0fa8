/** A text filter: it applies when typing pauses, and follows the address when Back changes it. */
import { TextInput, type TextInputProps } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'

const debounceMs = 300

interface FilterInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value: string
  onFilter(value: string): void
}

export function FilterInput({ value, onFilter, ...rest }: FilterInputProps) {
  const [input, setInput] = useState(value)
  const reported = useRef(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    if (value === reported.current) return
    reported.current = value
    setInput(value)
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  function report(text: string): void {
    clearTimeout(timer.current)
    if (text === reported.current) return
    reported.current = text
    onFilter(text)
  }
  return (
    <TextInput
      maxLength={200}
      {...rest}
      value={input}
      onChange={(event) => {
        const text = event.currentTarget.value
        setInput(text)
        clearTimeout(timer.current)
        timer.current = setTimeout(() => report(text), debounceMs)
      }}
      onBlur={() => report(input)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') report(input)
      }}
    />
  )
}
