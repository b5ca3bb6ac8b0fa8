/** Banners, empty places, errors, toasts, differences and Markdown. */
import { Button } from '@mantine/core'
import { Cable } from 'lucide-react'
import { ApiFailure } from '../../api/call.ts'
import { Banner } from '../../parts/banner.tsx'
import { Card } from '../../parts/card.tsx'
import { Diff } from '../../parts/diff.tsx'
import { EmptyState, NothingFits } from '../../parts/empty-state.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { diffLines } from '../../parts/line-diff.ts'
import { Markdown } from '../../parts/markdown.tsx'
import { toast } from '../../parts/toast.tsx'
import { useText } from '../../text/text.ts'
import styles from './components.module.css'
import { componentsText } from './text.ts'

const sample = `The order left the **warehouse** this morning:

- tracking \`LX-1042\`
- see [the carrier](https://example.com/track)

| Item | Price |
| --- | ---: |
| Lamp | 24.90 |

\`\`\`json
{ "order": 1042, "state": "sent", "paid": true }
\`\`\``

export default function MessageParts() {
  const t = useText(componentsText)
  const failure = new ApiFailure({
    status: 502,
    code: 'endpoint_error',
    message: t('error'),
    requestId: 'req_7f12c0a94be24d0e9c',
  })
  return (
    <>
      <Card title={t('banners')}>
        <div className={styles['column']}>
          <Banner
            tone="warn"
            title={t('bannerTitle')}
            actions={
              <Button size="xs" variant="default">
                {t('showTurns')}
              </Button>
            }
          >
            {t('bannerCause')}
          </Banner>
          <Banner tone="wait" title={t('waits')} />
          <Banner tone="info" title={t('info')} />
          <Banner tone="bad" title={t('bad')} />
        </div>
      </Card>
      <Card title={t('empty')}>
        <EmptyState icon={Cable} title={t('noChannel')} actions={<Button>{t('connect')}</Button>}>
          {t('noChannelNext')}
        </EmptyState>
        <NothingFits title={t('noTurn')} filters={2} onClear={() => undefined}>
          {t('withoutFilters')}
        </NothingFits>
      </Card>
      <Card title={t('errors')}>
        <div className={styles['column']}>
          <ErrorPanel error={failure} onRetry={() => undefined} />
          <div>
            <Button
              variant="default"
              onClick={() => {
                toast({ title: t('toastDone'), about: t('toastDoneAbout'), onUndo: () => undefined })
                toast({ title: t('toastError'), about: t('toastErrorAbout'), isError: true })
              }}
            >
              {t('showToasts')}
            </Button>
          </div>
        </div>
      </Card>
      <Card title={t('difference')}>
        <Diff
          lines={diffLines(
            'Be brief and friendly.\nName the day.',
            'Be exact and friendly.\nName the day.\nNever guess.',
          )}
        />
      </Card>
      <Card title={t('markdown')}>
        <Markdown text={sample} />
      </Card>
    </>
  )
}
