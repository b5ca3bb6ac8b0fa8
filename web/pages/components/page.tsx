/** The parts that pages are made of, with all their states: for whoever builds or reviews the UI. */
import { lazy, Suspense } from 'react'
import { Page } from '../../parts/page.tsx'
import { useText } from '../../text/text.ts'
import { ChartParts } from './charts.tsx'
import styles from './components.module.css'
import { StateParts } from './states.tsx'
import { componentsText } from './text.ts'

const InputParts = lazy(() => import('./inputs.tsx'))
const MessageParts = lazy(() => import('./messages.tsx'))
const DataParts = lazy(() => import('./data.tsx'))

export default function ComponentsPage() {
  const t = useText(componentsText)
  return (
    <Page title={t('title')} about={t('about')}>
      <div className={styles['columns']}>
        <StateParts />
        <Suspense>
          <InputParts />
          <MessageParts />
        </Suspense>
        <ChartParts />
      </div>
      <Suspense>
        <DataParts />
      </Suspense>
    </Page>
  )
}
