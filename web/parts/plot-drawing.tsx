/** The drawing of a plot, by uPlot; only ever loaded by way of `Plot`. */
import 'uplot/dist/uPlot.min.css'
import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import { useLanguage } from '../text/text.ts'
import { alignedOf } from './plot-data.ts'
import { axisTimes, type PlotColour, type PlotProps } from './plot-shape.ts'

export interface DrawingProps extends PlotProps {
  height: number
  /** The index of the time under the pointer, here or in another plot of the page; undefined: none. */
  onPoint(at: number | undefined): void
}

/** All plots of a page share the crosshair and the zoom. */
const syncKey = 'page'

export default function PlotDrawing(props: DrawingProps) {
  const box = useRef<HTMLDivElement>(null)
  const drawing = useRef<uPlot>(undefined)
  const latest = useRef(props)
  latest.current = props
  const scheme = useComputedColorScheme('light')
  const language = useLanguage()
  const { times, series, thresholds = [], volume } = props
  // Changes of these need a new drawing; new values are only passed to it.
  const shape = JSON.stringify([
    series.map(({ label, colour, as }) => [label, colour, as]),
    thresholds.map(({ label }) => label),
    volume?.label,
    props.stepS,
    props.logFloor,
  ])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawing reads the rest when it draws
  useEffect(() => {
    const root = box.current
    if (!root) return
    const plot = new uPlot(optionsOf(latest, root, language), alignedOf(latest.current), root)
    drawing.current = plot
    const resized = new ResizeObserver(() => plot.setSize({ width: root.clientWidth, height: latest.current.height }))
    resized.observe(root)
    return () => {
      resized.disconnect()
      plot.destroy()
      drawing.current = undefined
    }
  }, [shape, scheme, language])

  // A zoom stays while new values come.
  // biome-ignore lint/correctness/useExhaustiveDependencies: redrawn only when its shape changes
  useEffect(() => {
    const plot = drawing.current
    if (!plot) return
    plot.setData(alignedOf(latest.current), !isZoomed(plot))
    if (isZoomed(plot)) plot.redraw()
  }, [times, series, thresholds, volume])
  return <div ref={box} style={{ height: props.height }} />
}

function isZoomed({ scales, data }: uPlot): boolean {
  const [first, last] = [data[0][0], data[0].at(-1)]
  const { min, max } = scales['x'] ?? {}
  return min != null && max != null && first !== undefined && last !== undefined && (min > first || max < last)
}

function optionsOf(latest: { current: DrawingProps }, root: HTMLElement, language: string): uPlot.Options {
  const style = getComputedStyle(root)
  const token = (name: string) => style.getPropertyValue(`--${name}`)
  const { stepS, logFloor } = latest.current
  const axis = {
    stroke: token('text-3'),
    grid: { stroke: token('line'), width: 1 },
    ticks: { show: false },
    font: `11px ${token('sans')}`,
  }
  return {
    width: root.clientWidth,
    height: latest.current.height,
    // At the right half of the last time.
    padding: [8, 18, 0, 0],
    legend: { show: false },
    ...(stepS >= 86_400 && { tzDate: (second: number) => uPlot.tzDate(new Date(second * 1_000), 'Etc/UTC') }),
    cursor: {
      y: false,
      drag: { x: true, y: false },
      points: { show: false },
      sync: { key: syncKey },
    },
    scales: {
      x: { range: (_, from, until) => [from - stepS / 2, until + stepS / 2] },
      y:
        logFloor === undefined
          ? { range: (_, _least, most) => [0, mostOf(latest.current, most) * 1.1] }
          : { distr: 3, range: (_, _least, most) => [logFloor, Math.max(logFloor * 10, mostOf(latest.current, most))] },
      volume: { range: (_, _least, most) => [0, (most ?? 1) * 3] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 24,
        space: 64,
        values: ({ scales }, ticks) => {
          const spanS = (scales['x']?.max ?? 0) - (scales['x']?.min ?? 0)
          return axisTimes(ticks, { stepS, spanS: spanS - stepS }, language)
        },
      },
      {
        ...axis,
        size: 52,
        gap: 6,
        space: 40,
        ...(logFloor !== undefined && { splits: (_, _axis, least, most) => decades(least, most) }),
        values: (_, ticks) => ticks.map((tick) => latest.current.format(tick)),
      },
    ],
    series: seriesOf(latest.current, token),
    hooks: {
      ...clicksOf(latest),
      setCursor: [({ cursor: { idx } }) => latest.current.onPoint(idx ?? undefined)],
      draw: [(drawn) => drawThresholds(drawn, latest.current, token)],
    },
  }
}

/** A line for each power of ten: those between would stand too close. */
function decades(least: number, most: number): number[] {
  const first = Math.ceil(Math.log10(least) - 1e-6)
  const count = Math.floor(Math.log10(most) + 1e-6) - first + 1
  return Array.from({ length: Math.max(0, count) }, (_, at) => 10 ** (first + at))
}

/** So long a click in a plot that is zoomed waits for a second one, which takes the zoom back. */
const doubleClickMs = 300

/** A click, and not the end of a drag, which uPlot keeps to itself. */
function clicksOf(latest: { current: DrawingProps }): uPlot.Hooks.Arrays {
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    ready: [
      (plot) =>
        plot.over.addEventListener('click', ({ detail }) => {
          clearTimeout(timer)
          const time = plot.data[0][plot.cursor.idx ?? -1]
          if (detail > 1 || time === undefined) return
          const pick = () => latest.current.onPick?.(time, time + latest.current.stepS)
          if (isZoomed(plot)) timer = setTimeout(pick, doubleClickMs)
          else pick()
        }),
    ],
    destroy: [() => clearTimeout(timer)],
  }
}

const mostOf = ({ leastTop, thresholds = [] }: DrawingProps, most: number | null): number =>
  Math.max(leastTop, most ?? 0, ...thresholds.map(({ value }) => value))

const bars = uPlot.paths.bars?.({ size: [0.7, 24] })

/** In the order of `alignedOf`: the volume, then each series, a share with its grey line below it. */
function seriesOf({ series, volume }: DrawingProps, token: (name: string) => string): uPlot.Series[] {
  const grey = token('idle-mark')
  const drawn: uPlot.Series[] = [{}]
  if (volume)
    drawn.push({
      scale: 'volume',
      fill: token('line-2'),
      width: 0,
      points: { show: false },
      ...(bars && { paths: bars }),
    })
  for (const { as, colour } of series) {
    const stroke = token(markOf(colour))
    if (as === 'bars') {
      drawn.push({ fill: stroke, width: 0, points: { show: false }, ...(bars && { paths: bars }) })
      continue
    }
    if (volume) drawn.push({ stroke: grey, width: 1.5, points: { show: false } })
    drawn.push({ stroke, width: 1.75, points: { size: 4, fill: stroke } })
  }
  return drawn
}

/** The token of a colour. */
const markOf = (colour: PlotColour): string => (/^c\d$/.test(colour) ? colour : `${colour}-mark`)

function drawThresholds(drawn: uPlot, { thresholds = [] }: DrawingProps, token: (name: string) => string): void {
  const { ctx, bbox } = drawn
  ctx.save()
  ctx.lineWidth = devicePixelRatio * 1.25
  ctx.font = `${11 * devicePixelRatio}px ${token('sans')}`
  ctx.textAlign = 'right'
  ctx.textBaseline = 'bottom'
  let lowest = Number.NEGATIVE_INFINITY
  // From above, so that a label which would stand on another moves below it.
  for (const { value, colour, label } of thresholds.toSorted((one, other) => other.value - one.value)) {
    const y = Math.round(drawn.valToPos(value, 'y', true))
    ctx.strokeStyle = token(markOf(colour))
    ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio])
    ctx.beginPath()
    ctx.moveTo(bbox.left, y)
    ctx.lineTo(bbox.left + bbox.width, y)
    ctx.stroke()
    ctx.fillStyle = token('text-2')
    lowest = Math.max(y - 2 * devicePixelRatio, lowest + 12 * devicePixelRatio)
    ctx.fillText(label, bbox.left + bbox.width, lowest)
  }
  ctx.restore()
}
