/** The layer of a popover; only ever loaded by way of `PopoverButton`. */
import { Popover } from '@mantine/core'
import type { ReactNode } from 'react'

interface PopoverLayerProps {
  isOpen: boolean
  onOpen(isOpen: boolean): void
  side: 'start' | 'end'
  target: ReactNode
  children: ReactNode
}

export default function PopoverLayer({ isOpen, onOpen, side, target, children }: PopoverLayerProps) {
  return (
    <Popover opened={isOpen} onChange={onOpen} position={`bottom-${side}`} trapFocus returnFocus>
      <Popover.Target>{target}</Popover.Target>
      <Popover.Dropdown p={6}>{children}</Popover.Dropdown>
    </Popover>
  )
}
