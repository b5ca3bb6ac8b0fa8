/** A titled section whose table scrolls horizontally on narrow screens. */
import { Card, Group, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface SectionProps {
  title: string
  action?: ReactNode
  children: ReactNode
}

export function Section({ title, action, children }: SectionProps) {
  return (
    <Card component="section">
      <Group justify="space-between" mb="sm">
        <Title order={2}>{title}</Title>
        {action}
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section style={{ overflowX: 'auto', overflowWrap: 'normal' }} tabIndex={0} aria-label={title}>
        {children}
      </section>
    </Card>
  )
}
