/** Values over time: a plot (loaded lazily), its legend, and the same values as a table. */
import { Group, Skeleton, Stack, Table, Text } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { useLanguage, useText } from '../text/text.ts'
import styles from './plot.module.css'
import { clockTime, type PlotProps } from './plot-shape.ts'
import { plotText } from './plot-text.ts'

const PlotDrawing = lazy(() => import('./plot-drawing.tsx'))

const height = 150

export function Plot(props: PlotProps) {
  const { label, times, series, thresholds = [], format } = props
  const t = useText(plotText)
  const language = useLanguage()
  const [at, setAt] = useState<number>()
  const time = at === undefined ? undefined : times[at]
  const valueAt = (values: readonly (number | null)[]) => {
    const value = at === undefined ? undefined : values[at]
    return value === null || value === undefined ? '' : ` ${format(value)}`
  }
  return (
    <Stack gap={4}>
      <div role="img" aria-label={label} style={{ height }}>
        <Suspense fallback={<Skeleton height={height} />}>
          <PlotDrawing {...props} height={height} onPoint={setAt} />
        </Suspense>
      </div>
      <Group gap="xs" mih={20}>
        {series.map(({ label: name, colour, values }) => (
          <Text key={name} size="xs" className={styles['key']} data-colour={colour}>
            {name}
            {valueAt(values)}
          </Text>
        ))}
        {thresholds.map(({ label: name, colour }) => (
          <Text key={name} size="xs" className={styles['key']} data-colour={colour} data-line>
            {name}
          </Text>
        ))}
        {time !== undefined && (
          <Text size="xs" c="dimmed">
            {clockTime(time, language)}
          </Text>
        )}
      </Group>
      <AsTable {...props} summary={t('asTable')} />
    </Stack>
  )
}

/** Rendered only when it is open, without empty times. */
function AsTable({ label, times, series, format, summary }: PlotProps & { summary: string }) {
  const t = useText(plotText)
  const language = useLanguage()
  const [isOpen, setOpen] = useState(false)
  const rows = isOpen ? times.map((time, at) => ({ time, values: series.map(({ values }) => values[at] ?? null) })) : []
  const filledRows = rows.filter(({ values }) => values.some((value) => value !== null && value !== 0))
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)} className={styles['details']}>
      <summary aria-label={`${summary}: ${label}`}>{summary}</summary>
      {isOpen && filledRows.length === 0 && <Text size="xs">{t('nothing')}</Text>}
      {isOpen && filledRows.length > 0 && (
        <section className={styles['table']} aria-label={label} tabIndex={-1}>
          <Table fz="xs" verticalSpacing={2}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('time')}</Table.Th>
                {series.map(({ label: name }) => (
                  <Table.Th key={name}>{name}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {filledRows.map(({ time, values }) => (
                <Table.Tr key={time}>
                  <Table.Td>{clockTime(time, language)}</Table.Td>
                  {values.map((value, at) => (
                    <Table.Td key={series[at]?.label}>{value === null ? '–' : format(value)}</Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </section>
      )}
    </details>
  )
}
