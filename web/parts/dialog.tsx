/** A dialog in front of the page, whose way out has a name. */
import { Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { sharedText } from '../text/shared-text.ts'
import { useText } from '../text/text.ts'

interface DialogProps {
  title: string
  onClose(): void
  /** With what is typed or shown only here, a click beside the dialog does not close it. */
  isFirm?: boolean
  size?: 'md' | 'lg' | 'xl'
  children: ReactNode
}

export function Dialog({ title, onClose, isFirm = false, size = 'md', children }: DialogProps) {
  const c = useText(sharedText)
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={size}
      centered
      closeOnClickOutside={!isFirm}
      closeOnEscape={!isFirm}
      closeButtonProps={{ 'aria-label': c('close') }}
    >
      {children}
    </Modal>
  )
}
