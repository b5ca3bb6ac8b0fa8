/** The types of a plot; separate, so that its drawing can be loaded lazily. */

/** `c1` to `c6` are data series in this order, `c6` is always the rest; the others are states. */
export type PlotColour = 'c1' | 'c2' | 'c3' | 'c4' | 'c5' | 'c6' | 'ok' | 'run' | 'wait' | 'warn' | 'bad' | 'idle'

/** At most six; what is more goes into one of "other". */
export interface PlotSeries {
  label: string
  colour: PlotColour
  /** Bars of several series are stacked. */
  as: 'line' | 'bars'
  /** One for each time; null: there is none, and a gap stays a gap. */
  values: readonly (number | null)[]
}

/** A dashed line across the whole plot, with its label at the right. */
export interface PlotThreshold {
  label: string
  colour: PlotColour
  value: number
}

/** How many events are behind each value of a share: grey bars behind it. */
export interface PlotVolume {
  label: string
  values: readonly (number | null)[]
}

/** Below so many events a share is drawn in grey: it says little. */
export const volumeLeast = 20

export interface PlotProps {
  /** A sentence for screen readers: what is drawn, its highest value, the limit. */
  label: string
  /** In seconds since the epoch, evenly spaced. */
  times: readonly number[]
  /** Between two times. */
  stepS: number
  series: readonly PlotSeries[]
  thresholds?: readonly PlotThreshold[]
  volume?: PlotVolume
  /** The least upper end of the axis, so that small values do not look large. */
  leastTop: number
  /** `log`: for latency, from this floor on; otherwise the axis begins at 0. */
  logFloor?: number
  height?: number
  format(value: number): string
  /** A click: the bucket of this time, for the turns behind it. */
  onPick?(fromS: number, untilS: number): void
}

const hourMinute = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const dayMonth = { day: 'numeric', month: 'short' } as const

/** In the operator's time zone, with a 24-hour clock. */
export const clockTime = (seconds: number, language: string): string =>
  new Date(seconds * 1_000).toLocaleTimeString(language, hourMinute)

/** Along the axis: a day that stands at several ticks is named at its first. */
export function axisTimes(ticks: readonly number[], of: { stepS: number; spanS: number }, language: string): string[] {
  const times = ticks.map((tick) => plotTime(tick, of, language))
  return times.map((time, at) => (time === times[at - 1] ? '' : time))
}

/** A time of a plot: the clock, with the day where buckets are of days or the plot covers several. */
export function plotTime(
  seconds: number,
  { stepS, spanS }: { stepS: number; spanS: number },
  language: string,
): string {
  const date = new Date(seconds * 1_000)
  // Days are those of UTC: in the zone of the operator their beginnings would be other days.
  if (stepS >= 86_400) return date.toLocaleDateString(language, { ...dayMonth, timeZone: 'UTC' })
  if (spanS > 86_400) return date.toLocaleString(language, { ...dayMonth, ...hourMinute })
  return date.toLocaleTimeString(language, hourMinute)
}
