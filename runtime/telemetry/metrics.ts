/** Two registries, one for whoever may scrape /metrics and one for the operator's collector, with typed metrics in both. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { PoolGauges } from '../pool/pool-gauges.ts'
import { metricList } from './metric-list.ts'

type List = typeof metricList
type Named<Kind> = { [Name in keyof List]: List[Name]['kind'] extends Kind ? Name : never }[keyof List]
type Label<Name extends keyof List> = List[Name]['labels'][number]

export interface Metrics {
  /** Build, process, database pools, readiness: nothing of tenants, no labels of requests. */
  readonly public: Registry
  /** Actors, worker pools, turns, deliveries: pushed by OTLP, never served. */
  readonly internal: Registry
  /** The worker pools of the process by name, as they are now. */
  readonly pools: Map<string, () => PoolGauges>
  counter<Name extends Named<'counter'>>(name: Name): Counter<Label<Name>>
  histogram<Name extends Named<'histogram'>>(name: Name): Histogram<Label<Name>>
  /** Calls `read` at each scrape, to set the gauge; all readers of one gauge are called. */
  onScrape<Name extends Named<'gauge'>>(name: Name, read: (gauge: Gauge<Label<Name>>) => void | Promise<void>): void
}

/** How often the event loop's delay is sampled, in milliseconds. */
const loopSampleMs = 10

export function createMetrics({ version = 'unknown' }: { version?: string } = {}): Metrics {
  const registries = { public: new Registry(), internal: new Registry() }
  collectDefaultMetrics({ register: registries.public, eventLoopMonitoringPrecision: loopSampleMs })
  type Readers = ((gauge: Gauge) => void | Promise<void>)[]
  const readers = new Map<string, Readers>()

  /** The metric of this name, made at its first use: the registry holds only metrics that are in use. */
  function metric<Kind>(name: keyof List, make: (options: ReturnType<typeof optionsOf>) => Kind): Kind {
    const existing = registries[metricList[name].audience].getSingleMetric(name)
    return (existing as Kind | undefined) ?? make(optionsOf(name))
  }

  function optionsOf(name: keyof List) {
    const { audience, help, labels } = metricList[name]
    return { name, help, labelNames: [...labels], registers: [registries[audience]] }
  }

  const metrics: Metrics = {
    ...registries,
    pools: new Map(),
    counter: (name) => metric(name, (options) => new Counter(options)),
    histogram: (name) =>
      metric(name, (options) => new Histogram({ ...options, buckets: [...metricList[name].buckets] })),
    onScrape(name, read) {
      const existing = readers.get(name)
      if (existing) {
        existing.push(read as Readers[number])
        return
      }
      const own: Readers = [read as Readers[number]]
      readers.set(name, own)
      new Gauge({
        ...optionsOf(name),
        async collect() {
          for (const each of own) await each(this)
        },
      })
    },
  }
  metrics.onScrape('service_build_info', (gauge) => gauge.set({ version, node: process.version }, 1))
  metrics.onScrape('process_uptime_seconds', (gauge) => gauge.set(process.uptime()))
  return metrics
}
