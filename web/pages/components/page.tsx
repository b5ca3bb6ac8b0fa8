/** The parts that pages are made of, with all their states: for whoever builds or reviews the UI. */
import { Page } from '../../parts/page.tsx'
import { useText } from '../../text/text.ts'
import { ChartParts } from './charts.tsx'
import styles from './components.module.css'
import { DataParts } from './data.tsx'
import { InputParts } from './inputs.tsx'
import { MessageParts } from './messages.tsx'
import { StateParts } from './states.tsx'
import { componentsText } from './text.ts'

export default function ComponentsPage() {
  const t = useText(componentsText)
  return (
    <Page title={t('title')} about={t('about')}>
      <div className={styles['columns']}>
        <StateParts />
        <InputParts />
        <MessageParts />
        <ChartParts />
      </div>
      <DataParts />
    </Page>
  )
}
