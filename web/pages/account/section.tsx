/** One part of the account, with its heading. */
import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Card } from '../../parts/card.tsx'

interface SectionProps {
  title: string
  about?: string
  actions?: ReactNode
  children: ReactNode
}

export function Section({ title, about, actions, children }: SectionProps) {
  return (
    <Card title={title} actions={actions}>
      <Stack gap="sm">
        {about && <Text c="dimmed">{about}</Text>}
        {children}
      </Stack>
    </Card>
  )
}
