/** A dialog over the page, for what cannot be undone and for forms. Its window is loaded with the first one. */
import { lazy, Suspense } from 'react'
import type { DialogProps } from './dialog-window.tsx'

const DialogWindow = lazy(() => import('./dialog-window.tsx'))

export function Dialog(props: DialogProps) {
  return (
    <Suspense>
      <DialogWindow {...props} />
    </Suspense>
  )
}
