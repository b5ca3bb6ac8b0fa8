/** The layout of a page: title, description, actions, and the title of the browser's tab. */
import { Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { appText } from '../app/text.ts'
import { useText } from '../text/text.ts'

interface PageProps {
  title: string
  /** One sentence for somebody who sees it for the first time. */
  about?: string
  actions?: ReactNode
  children: ReactNode
}

export function Page({ title, about, actions, children }: PageProps) {
  const t = useText(appText)
  useEffect(() => {
    document.title = `${title} · ${t('product')}`
  }, [title, t])
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Title order={1} size="h3">
            {title}
          </Title>
          {about && (
            <Text size="sm" c="dimmed" maw={720}>
              {about}
            </Text>
          )}
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  )
}
