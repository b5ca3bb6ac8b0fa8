/** States, counts, tabs, key figures and facts. */
import { useState } from 'react'
import { Card, CardGrid, CardList } from '../../parts/card.tsx'
import { Count } from '../../parts/count.tsx'
import { bytesText, moneyText, numberText, percentText, shortNumberText } from '../../parts/format.ts'
import { IdText } from '../../parts/id-text.tsx'
import { Kbd } from '../../parts/kbd.tsx'
import { Facts, KeyValue } from '../../parts/key-value.tsx'
import { Meter } from '../../parts/meter.tsx'
import { Stat, StatStrip } from '../../parts/stat-strip.tsx'
import { State, type StateName } from '../../parts/state.tsx'
import { TabButton, TabRow } from '../../parts/tab-row.tsx'
import { Ago, Duration } from '../../parts/time.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import styles from './components.module.css'
import { componentsText } from './text.ts'

const states: readonly StateName[] = [
  'healthy',
  'running',
  'waiting',
  'degraded',
  'failed',
  'paused',
  'cancelled',
  'queued',
]
const spark = [4, 5, 4, 6, 5, 7, 5, 6, 8, 7, null, 9, 11, 12]
const startedMs = Date.now() - 6 * 60_000

export function StateParts() {
  const t = useText(componentsText)
  const language = useLanguage()
  const [tab, setTab] = useState('all')
  return (
    <>
      <Card title={t('states')}>
        <div className={styles['row']}>
          {states.map((state) => (
            <State key={state} state={state}>
              {t(state as 'healthy')}
            </State>
          ))}
        </div>
        <div className={styles['row']}>
          {states.map((state) => (
            <State key={state} state={state} isPill>
              {t(state as 'healthy')}
            </State>
          ))}
        </div>
      </Card>
      <Card title={t('counts')}>
        <div className={styles['row']}>
          <Count count={2} />
          <Count count={3} tone="wait" />
          <Count count={12} tone="warn" />
          <Count count={120} tone="bad" />
          <Kbd>Ctrl K</Kbd>
        </div>
        <div className={styles['row']}>
          <TabRow label={t('counts')}>
            <TabButton isChosen={tab === 'all'} onChoose={() => setTab('all')}>
              {t('all')}
            </TabButton>
            <TabButton isChosen={tab === 'failed'} onChoose={() => setTab('failed')} count={46} tone="bad">
              {t('failed')}
            </TabButton>
            <TabButton isChosen={tab === 'waiting'} onChoose={() => setTab('waiting')} count={3} tone="wait">
              {t('waiting')}
            </TabButton>
          </TabRow>
        </div>
      </Card>
      <Card title={t('figures')}>
        <StatStrip label={t('ofTurns')}>
          <Stat
            label={t('turns')}
            figure={numberText(2_486, language)}
            change={`↑ ${percentText(0.062, language)}`}
            spark={spark}
          />
          <Stat
            label={t('errorRate')}
            figure={percentText(0.019, language)}
            change={`↑ ${percentText(0.011, language)}`}
            trend="worse"
            spark={spark}
          />
          <Stat label={t('cost')} figure={moneyText(7_620_000, 'USD', language)} change={t('budget')} />
        </StatStrip>
      </Card>
      <Card title={t('facts')}>
        <Facts
          rows={[
            [t('tokens'), '2.1 k / 88'],
            [t('latency'), '412 ms'],
            [t('size'), bytesText(1_240_000, language)],
          ]}
        />
        <hr className={styles['line']} />
        <KeyValue
          rows={[
            [t('id'), <IdText key="id" id="turn_01993c7ad4f27b1e8a40c2d1e55f3e9c" />],
            [t('when'), <Ago key="when" iso={new Date(startedMs).toISOString()} />],
            [t('latency'), <Duration key="latency" ms={2_310} />],
            [t('tokens'), shortNumberText(18_432, language)],
            [t('cost'), moneyText(2_100, 'USD', language)],
            [t('budget'), <Meter key="budget" share={0.82} label={t('budget')} />],
          ]}
        />
      </Card>
      <CardGrid leastWidthPx={140}>
        {['API', 'Database'].map((name) => (
          <Card key={name} title={name} isFlush>
            <CardList>
              <div>
                <State state="healthy">{t('healthy')}</State>
              </div>
              <div>
                <State state="degraded">{t('degraded')}</State>
              </div>
            </CardList>
          </Card>
        ))}
      </CardGrid>
    </>
  )
}
