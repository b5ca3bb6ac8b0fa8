/** The values of a plot as columns for its drawing. */
import { type PlotProps, type PlotSeries, volumeLeast } from './plot-shape.ts'

type Columns = [number[], ...(number | null)[][]]

const isStacked = ({ as }: PlotSeries): boolean => as === 'bars'

/**
 * The times; the volume; then each series. Stacked bars are drawn at the sum of themselves and the series after them, the
 * first one behind the others. A share is there twice: whole in grey, and over it only where enough events are behind it.
 */
export function alignedOf({ times, series, volume }: Pick<PlotProps, 'times' | 'series' | 'volume'>): Columns {
  const columns: Columns = [[...times]]
  if (volume) columns.push([...volume.values])
  for (const [at, one] of series.entries()) {
    if (isStacked(one)) {
      columns.push(one.values.map((value, index) => sumBehind(series, at, index) + (value ?? 0)))
      continue
    }
    if (volume) {
      columns.push([...one.values])
      columns.push(one.values.map((value, index) => ((volume.values[index] ?? 0) < volumeLeast ? null : value)))
    } else columns.push([...one.values])
  }
  return columns
}

const sumBehind = (series: readonly PlotSeries[], at: number, index: number): number =>
  series.slice(at + 1).reduce((sum, other) => sum + (isStacked(other) ? (other.values[index] ?? 0) : 0), 0)
