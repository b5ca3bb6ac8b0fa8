/** A filter that is typed: it counts once the typing rests, and follows the address when Back changes that. */
import { TextInput, type TextInputProps } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'

const restMs = 300

interface FilterInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value: string
  onFilter(value: string): void
}

export function FilterInput({ value, onFilter, ...rest }: FilterInputProps) {
  const [typed, setTyped] = useState(value)
  const told = useRef(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    if (value === told.current) return
    told.current = value
    setTyped(value)
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  function tell(text: string): void {
    clearTimeout(timer.current)
    if (text === told.current) return
    told.current = text
    onFilter(text)
  }
  return (
    <TextInput
      maxLength={200}
      {...rest}
      value={typed}
      onChange={(event) => {
        const text = event.currentTarget.value
        setTyped(text)
        clearTimeout(timer.current)
        timer.current = setTimeout(() => tell(text), restMs)
      }}
      onBlur={() => tell(typed)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') tell(typed)
      }}
    />
  )
}
