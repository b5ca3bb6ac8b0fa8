/** What a plot is made of; apart from the plot itself, so that its drawing can be loaded later. */

export type PlotColour = 'blue' | 'green' | 'yellow' | 'red' | 'gray'

export interface PlotSeries {
  label: string
  colour: PlotColour
  /** Bars of several series stand on each other. */
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
  /** What is drawn, for those who do not see it. */
  label: string
  /** In seconds since the epoch. */
  times: readonly number[]
  /** Between two times. */
  stepS: number
  series: readonly PlotSeries[]
  thresholds?: readonly PlotThreshold[]
  /** The plot reaches at least so high, so that little does not look like much. */
  leastTop: number
  format(value: number): string
}

/** In the operator's zone, by a clock of 24 hours. */
export function clockTime(seconds: number, language: string): string {
  return new Date(seconds * 1_000).toLocaleTimeString(language, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
}
