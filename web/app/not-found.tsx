/** What shows for an unknown address, and for a page that crashed. */
import { Center, Stack, Title } from '@mantine/core'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { useText } from '../text/text.ts'
import { appText } from './text.ts'

export function NotFound() {
  const t = useText(appText)
  return (
    <Center mih={240}>
      <Title order={1} size="h4">
        {t('notFound')}
      </Title>
    </Center>
  )
}

export function PageCrashed({ error, reset }: { error: unknown; reset(): void }) {
  const t = useText(appText)
  return (
    <Stack p="md">
      <Title order={1} size="h4">
        {t('pageCrashed')}
      </Title>
      <ErrorPanel error={error} onRetry={reset} />
    </Stack>
  )
}
