/** One part of the account, with its heading. */
import { Card, Group, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface SectionProps {
  title: string
  about?: string
  actions?: ReactNode
  children: ReactNode
}

export function Section({ title, about, actions, children }: SectionProps) {
  return (
    <Card padding="md" component="section" aria-label={title}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start" gap="sm">
          <div>
            <Title order={2}>{title}</Title>
            {about && <Text c="dimmed">{about}</Text>}
          </div>
          {actions && <Group gap="sm">{actions}</Group>}
        </Group>
        {children}
      </Stack>
    </Card>
  )
}
