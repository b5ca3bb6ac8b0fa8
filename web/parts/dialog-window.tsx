/** The window of a dialog; only ever loaded by way of `Dialog`. */
import { Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { sharedText } from '../text/shared-text.ts'
import { useText } from '../text/text.ts'
import { useFocusReturn } from './use-focus-return.ts'

export interface DialogProps {
  title: string
  onClose(): void
  /** For input or secrets that would be lost: a click outside does not close the dialog. */
  isFirm?: boolean
  size?: 'md' | 'lg' | 'xl'
  children: ReactNode
}

export default function DialogWindow({ title, onClose, isFirm = false, size = 'md', children }: DialogProps) {
  const c = useText(sharedText)
  useFocusReturn()
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
      // The banner is the page's.
      attributes={{ header: { role: 'presentation' } }}
    >
      {children}
    </Modal>
  )
}
