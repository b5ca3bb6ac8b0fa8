/** A button with a layer below it for a few boxes or fields. The layer's code is loaded at the first click. */
import { type CSSProperties, lazy, type ReactNode, Suspense, useState } from 'react'

const PopoverLayer = lazy(() => import('./popover-layer.tsx'))

export interface PopoverButtonProps {
  /** Of the button. */
  className?: string | undefined
  style?: CSSProperties
  content: ReactNode
  /** `F` opens the first of a page. */
  isFilter?: boolean
  side?: 'start' | 'end'
  children(close: () => void): ReactNode
}

export function PopoverButton(props: PopoverButtonProps) {
  const [isOpen, setOpen] = useState(false)
  const [wasOpen, setWasOpen] = useState(false)
  const button = (
    <button
      type="button"
      className={props.className}
      aria-haspopup="dialog"
      aria-expanded={isOpen}
      data-add-filter={props.isFilter || undefined}
      onClick={() => {
        setWasOpen(true)
        setOpen(!isOpen)
      }}
    >
      {props.content}
    </button>
  )
  if (!wasOpen) return button
  return (
    <Suspense fallback={button}>
      <PopoverLayer isOpen={isOpen} onOpen={setOpen} side={props.side ?? 'start'} target={button}>
        {props.children(() => setOpen(false))}
      </PopoverLayer>
    </Suspense>
  )
}
