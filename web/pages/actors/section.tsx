/** A titled part of the page; its table scrolls by itself on narrow screens. */
import type { ReactNode } from 'react'
import { Card } from '../../parts/card.tsx'

interface SectionProps {
  title: string
  action?: ReactNode
  children: ReactNode
}

export function Section({ title, action, children }: SectionProps) {
  return (
    <Card title={title} actions={action} isFlush>
      {children}
    </Card>
  )
}
