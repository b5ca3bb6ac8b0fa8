/** The metrics of the registries in OpenTelemetry's format: prom-client counts them once, and they are pushed from there. */
import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api'
import { type resources, metrics as sdk } from '@opentelemetry/sdk-node'
import type { Registry } from 'prom-client'

type Resource = ReturnType<typeof resources.resourceFromAttributes>

interface PromValue {
  labels: Record<string, string | number>
  value: number
  metricName?: string
}

interface PromMetric {
  name: string
  help: string
  type: string
  values: PromValue[]
}

interface Times {
  startTime: HrTime
  endTime: HrTime
}

export function promProducer(registries: readonly Registry[], resource: Resource): sdk.MetricProducer {
  const startTime = hrTime(Date.now() - process.uptime() * 1_000)
  return {
    async collect() {
      const times: Times = { startTime, endTime: hrTime(Date.now()) }
      const metrics: sdk.MetricData[] = []
      for (const registry of registries) {
        const promMetrics = (await registry.getMetricsAsJSON()) as unknown as PromMetric[]
        for (const metric of promMetrics) metrics.push(...converted(metric, times))
      }
      return { resourceMetrics: { resource, scopeMetrics: [{ scope: { name: 'service' }, metrics }] }, errors: [] }
    },
  }
}

function converted(metric: PromMetric, times: Times): sdk.MetricData[] {
  const common = { descriptor: descriptor(metric), aggregationTemporality: sdk.AggregationTemporality.CUMULATIVE }
  switch (metric.type) {
    case 'counter':
      return [
        {
          ...common,
          dataPointType: sdk.DataPointType.SUM,
          isMonotonic: true,
          dataPoints: numberPoints(metric.values, times),
        },
      ]
    case 'gauge':
      return [{ ...common, dataPointType: sdk.DataPointType.GAUGE, dataPoints: numberPoints(metric.values, times) }]
    case 'histogram':
      return [{ ...common, dataPointType: sdk.DataPointType.HISTOGRAM, dataPoints: histogramPoints(metric, times) }]
    default:
      return [] // summaries: we have none, and OTLP supports them only for old formats
  }
}

function descriptor({ name, help }: PromMetric): sdk.MetricDescriptor {
  const unit = /_seconds(_total)?$/.test(name) ? 's' : /_bytes(_total)?$/.test(name) ? 'By' : ''
  return { name, description: help, unit, valueType: ValueType.DOUBLE }
}

function numberPoints(values: readonly PromValue[], times: Times): sdk.DataPoint<number>[] {
  return values.map(({ labels, value }) => ({ ...times, attributes: { ...labels }, value }))
}

interface CumulativeBuckets {
  attributes: Attributes
  boundaries: number[]
  cumulative: number[]
  sum: number
  count: number
}

/** prom-client lists a histogram as rows of cumulative buckets; OTLP needs the count of each bucket alone. */
function histogramPoints({ name, values }: PromMetric, times: Times): sdk.DataPoint<sdk.Histogram>[] {
  const byLabels = new Map<string, CumulativeBuckets>()
  for (const { labels, value, metricName } of values) {
    const { le, ...attributes } = labels
    const key = JSON.stringify(attributes)
    const point = byLabels.get(key) ?? { attributes, boundaries: [], cumulative: [], sum: 0, count: 0 }
    byLabels.set(key, point)
    if (metricName === `${name}_sum`) point.sum = value
    else if (metricName === `${name}_count`) point.count = value
    else if (le !== undefined && le !== '+Inf') {
      point.boundaries.push(Number(le))
      point.cumulative.push(value)
    }
  }
  return Array.from(byLabels.values(), ({ attributes, boundaries, cumulative, sum, count }) => ({
    ...times,
    attributes,
    value: {
      buckets: {
        boundaries,
        counts: [...cumulative, count].map((below, index) => below - (cumulative[index - 1] ?? 0)),
      },
      sum,
      count,
    },
  }))
}

function hrTime(epochMs: number): HrTime {
  const whole = Math.floor(epochMs / 1_000)
  return [whole, Math.round((epochMs - whole * 1_000) * 1e6)]
}
