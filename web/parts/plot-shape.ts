/** The types of a plot; separate, so that its drawing can be loaded lazily. */

export type PlotColour = 'blue' | 'green' | 'yellow' | 'red' | 'gray'

export interface PlotSeries {
  label: string
  colour: PlotColour
  /** Bars of several series are stacked. */
  as: 'line' | 'bars'
  /** One for each time; null: there is none. */
  values: readonly (number | null)[]
}

/** A line across the whole plot. */
export interface PlotThreshold {
  label: string
  colour: PlotColour
  value: number
}

export interface PlotProps {
  /** A description for screen readers. */
  label: string
  /** In seconds since the epoch. */
  times: readonly number[]
  /** Between two times. */
  stepS: number
  series: readonly PlotSeries[]
  thresholds?: readonly PlotThreshold[]
  /** The least upper end of the axis, so that small values do not look large. */
  leastTop: number
  format(value: number): string
}

/** In the operator's time zone, with a 24-hour clock. */
export function clockTime(seconds: number, language: string): string {
  return new Date(seconds * 1_000).toLocaleTimeString(language, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
}
