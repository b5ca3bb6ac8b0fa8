/**
 * Values over time: a plot (loaded lazily), its legend with the newest values or those under the crosshair, which all plots
 * of a page share, and the same values as a table. Dragging zooms, a double click goes back, a click calls `onPick`.
 */
import { lazy, Suspense, useState } from 'react'
import { useLanguage, useText } from '../text/text.ts'
import styles from './plot.module.css'
import { type PlotProps, plotTime } from './plot-shape.ts'
import { plotText } from './plot-text.ts'

const PlotDrawing = lazy(() => import('./plot-drawing.tsx'))

const defaultHeight = 160

export function Plot(props: PlotProps) {
  const { label, times, stepS, series, thresholds = [], volume, format, height = defaultHeight } = props
  const t = useText(plotText)
  const language = useLanguage()
  const [at, setAt] = useState<number>()
  const shown = at === undefined || at >= times.length ? times.length - 1 : at
  const time = times[shown]
  const spanS = (times.at(-1) ?? 0) - (times[0] ?? 0)
  const shownValue = (values: readonly (number | null)[]): string => {
    const value = values[shown]
    return value == null ? '–' : format(value)
  }
  return (
    <figure className={styles['figure']}>
      <div role="img" aria-label={label} style={{ height }} data-picks={props.onPick ? true : undefined}>
        <Suspense fallback={<div className={styles['wait']} style={{ height }} />}>
          <PlotDrawing {...props} height={height} onPoint={setAt} />
        </Suspense>
      </div>
      <figcaption className={styles['legend']}>
        {series.map(({ label: name, colour, as, values }) => (
          <span key={name} data-colour={colour} data-as={as}>
            <i />
            {name} <b>{shownValue(values)}</b>
          </span>
        ))}
        {volume && (
          <span data-colour="volume">
            <i />
            {volume.label} <b>{(volume.values[shown] ?? 0).toLocaleString(language)}</b>
          </span>
        )}
        {thresholds.map(({ label: name, colour }) => (
          <span key={name} data-colour={colour} data-as="limit">
            <i />
            {name}
          </span>
        ))}
        {at !== undefined && time !== undefined && (
          <span className={styles['time']}>{plotTime(time, { stepS, spanS }, language)}</span>
        )}
        <AsTable {...props} summary={t('asTable')} />
      </figcaption>
    </figure>
  )
}

/** Rendered only when it is open, without empty times. Its times lead where a click in the plot does: for the keyboard. */
function AsTable({ label, times, stepS, series, volume, format, onPick, summary }: PlotProps & { summary: string }) {
  const t = useText(plotText)
  const language = useLanguage()
  const [isOpen, setOpen] = useState(false)
  const spanS = (times.at(-1) ?? 0) - (times[0] ?? 0)
  const columns = [
    ...series.map(({ label: name, values }) => ({ name, values, format })),
    ...(volume
      ? [{ name: volume.label, values: volume.values, format: (value: number) => value.toLocaleString(language) }]
      : []),
  ]
  const rows = isOpen
    ? times.map((time, at) => ({ time, values: columns.map(({ values }) => values[at] ?? null) }))
    : []
  const filledRows = rows.filter(({ values }) => values.some((value) => value !== null && value !== 0))
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)} className={styles['details']}>
      <summary aria-label={`${summary}: ${label}`}>{summary}</summary>
      {isOpen && filledRows.length === 0 && <p>{t('nothing')}</p>}
      {isOpen && filledRows.length > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: no landmark, as its card is one, and no group of fields
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long table scrolls by keyboard too
        <div role="group" className={styles['table']} aria-label={label} tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th>{t('time')}</th>
                {columns.map(({ name }) => (
                  <th key={name} data-number>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {filledRows.map(({ time, values }) => (
                <tr key={time}>
                  <td>
                    {onPick ? (
                      <button type="button" onClick={() => onPick(time, time + stepS)}>
                        {plotTime(time, { stepS, spanS }, language)}
                      </button>
                    ) : (
                      plotTime(time, { stepS, spanS }, language)
                    )}
                  </td>
                  {values.map((value, at) => (
                    <td key={columns[at]?.name} data-number>
                      {value === null ? '–' : columns[at]?.format(value)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  )
}
