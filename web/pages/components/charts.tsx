/** A plot with all it can show. */
import { Card } from '../../parts/card.tsx'
import { percentText } from '../../parts/format.ts'
import { Plot } from '../../parts/plot.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import { componentsText } from './text.ts'

const points = 48
const stepS = 75
const startS = Math.floor(Date.now() / 1_000) - points * stepS
const times = Array.from({ length: points }, (_, at) => startS + at * stepS)
const turns = times.map((_, at) => 30 + Math.round(12 * Math.sin(at / 5)))
const share = times.map((_, at) =>
  at === 20 ? null : at > 38 ? 0.06 + 0.004 * Math.sin(at) : 0.01 + 0.006 * Math.sin(at),
)

export function ChartParts() {
  const t = useText(componentsText)
  const language = useLanguage()
  return (
    <Card title={t('chart')}>
      <Plot
        label={t('chartLabel')}
        times={times}
        stepS={stepS}
        leastTop={0.08}
        format={(value) => percentText(value, language)}
        volume={{ label: t('turns'), values: turns }}
        series={[{ label: t('errorRate'), colour: 'bad', as: 'line', values: share }]}
        thresholds={[{ label: percentText(0.05, language), colour: 'bad', value: 0.05 }]}
      />
    </Card>
  )
}
