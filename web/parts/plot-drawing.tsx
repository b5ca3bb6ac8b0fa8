/** The drawing of a plot, by uPlot; only ever loaded by way of `Plot`. */
import 'uplot/dist/uPlot.min.css'
import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import { useLanguage } from '../text/text.ts'
import { clockTime, type PlotColour, type PlotProps, type PlotSeries } from './plot-shape.ts'

interface DrawingProps extends PlotProps {
  height: number
  /** The index of the time under the pointer; undefined: none. */
  onPoint(at: number | undefined): void
}

export default function PlotDrawing(props: DrawingProps) {
  const box = useRef<HTMLDivElement>(null)
  const drawing = useRef<uPlot>(undefined)
  const latest = useRef(props)
  latest.current = props
  const scheme = useComputedColorScheme('light')
  const language = useLanguage()
  const { times, series, thresholds = [] } = props
  // Changes of these need a new drawing; new values are only passed to it.
  const shape = JSON.stringify([
    series.map(({ label, colour, as }) => [label, colour, as]),
    thresholds.map(({ label }) => label),
  ])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawing reads the rest when it draws
  useEffect(() => {
    const root = box.current
    if (!root) return
    const plot = new uPlot(optionsOf(latest, root, language), dataOf(latest.current), root)
    drawing.current = plot
    const resized = new ResizeObserver(() => plot.setSize({ width: root.clientWidth, height: latest.current.height }))
    resized.observe(root)
    return () => {
      resized.disconnect()
      plot.destroy()
      drawing.current = undefined
    }
  }, [shape, scheme, language])

  // biome-ignore lint/correctness/useExhaustiveDependencies: redrawn only when its shape changes
  useEffect(() => drawing.current?.setData(dataOf(latest.current)), [times, series, thresholds])
  return <div ref={box} style={{ height: props.height }} />
}

const stacked = ({ as }: PlotSeries): boolean => as === 'bars'

/** Stacked bars: each is drawn at the sum of itself and the series after it, the first one behind the others. */
function dataOf({ times, series }: DrawingProps): uPlot.AlignedData {
  const columns = series.map((one, at) =>
    stacked(one)
      ? one.values.map((value, index) =>
          series
            .slice(at + 1)
            .reduce((sum, other) => sum + (stacked(other) ? (other.values[index] ?? 0) : 0), value ?? 0),
        )
      : [...one.values],
  )
  return [[...times], ...columns] as uPlot.AlignedData
}

function optionsOf(latest: { current: DrawingProps }, root: HTMLElement, language: string): uPlot.Options {
  const style = getComputedStyle(root)
  const colourOf = (colour: PlotColour) => style.getPropertyValue(`--mantine-color-${colour}-6`)
  const { series, stepS } = latest.current
  const axis = {
    stroke: style.getPropertyValue('--mantine-color-dimmed'),
    grid: { stroke: style.getPropertyValue('--mantine-color-default-border'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  }
  return {
    width: root.clientWidth,
    height: latest.current.height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { range: (_, from, until) => [from - stepS / 2, until + stepS / 2] },
      y: { range: (_, _least, most) => [0, mostOf(latest.current, most) * 1.1] },
    },
    axes: [
      { ...axis, size: 26, space: 56, values: (_, ticks) => ticks.map((tick) => clockTime(tick, language)) },
      { ...axis, size: 58, space: 32, values: (_, ticks) => ticks.map((tick) => latest.current.format(tick)) },
    ],
    series: [{}, ...series.map((one) => seriesOf(one, colourOf(one.colour)))],
    hooks: {
      setCursor: [({ cursor: { idx } }) => latest.current.onPoint(idx ?? undefined)],
      draw: [(drawn) => drawThresholds(drawn, latest.current, colourOf)],
    },
  }
}

const mostOf = ({ leastTop, thresholds = [] }: DrawingProps, most: number | null): number =>
  Math.max(leastTop, most ?? 0, ...thresholds.map(({ value }) => value))

function seriesOf({ as }: PlotSeries, colour: string): uPlot.Series {
  if (as === 'line') return { stroke: colour, width: 2, points: { show: true, size: 4, fill: colour } }
  const paths = uPlot.paths.bars?.({ size: [0.7, 24] })
  return { fill: colour, stroke: colour, width: 0, points: { show: false }, ...(paths && { paths }) }
}

function drawThresholds(
  drawn: uPlot,
  { thresholds = [] }: DrawingProps,
  colourOf: (colour: PlotColour) => string,
): void {
  const { ctx, bbox } = drawn
  ctx.save()
  ctx.lineWidth = devicePixelRatio * 1.5
  ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio])
  for (const { value, colour } of thresholds) {
    const y = Math.round(drawn.valToPos(value, 'y', true))
    ctx.strokeStyle = colourOf(colour)
    ctx.beginPath()
    ctx.moveTo(bbox.left, y)
    ctx.lineTo(bbox.left + bbox.width, y)
    ctx.stroke()
  }
  ctx.restore()
}
