/** What shows for an unknown address, and for a page that crashed. */
import { Button } from '@mantine/core'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { linkTo } from '../parts/link-to.tsx'
import { Page } from '../parts/page.tsx'
import { useText } from '../text/text.ts'
import { appText } from './text.ts'

export function NotFound() {
  const t = useText(appText)
  return (
    <Page title={t('notFound')} about={t('notFoundNext')}>
      <div>
        <Button variant="default" renderRoot={linkTo('/')}>
          {t('toStart')}
        </Button>
      </div>
    </Page>
  )
}

export function PageCrashed({ error, reset }: { error: unknown; reset(): void }) {
  const t = useText(appText)
  return (
    <Page title={t('pageCrashed')}>
      <ErrorPanel error={error} onRetry={reset} />
    </Page>
  )
}
