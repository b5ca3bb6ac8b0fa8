/** Two registries: what anybody may scrape at /metrics, and what only the operator's collector gets. */
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'

export interface Metrics {
  /** Build, process, database pool, readiness: no tenant data, no labels of requests. */
  readonly public: Registry
  /** Actors, pools, turns, models: pushed by OTLP, never served. */
  readonly internal: Registry
  /** Says at each scrape whether the service is ready. */
  observeReadiness(isReady: () => boolean): void
}

/** How often the event loop's delay is sampled, in milliseconds. */
const loopSampleMs = 10

export function createMetrics({ version = 'unknown' }: { version?: string } = {}): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: loopSampleMs })
  let isReady = () => false
  new Gauge({
    name: 'service_build_info',
    help: 'Always 1; the version of the service and of Node.js as labels',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version, node: process.version }, 1)
  new Gauge({
    name: 'process_uptime_seconds',
    help: 'Seconds since the process started',
    registers: [registry],
    collect() {
      this.set(process.uptime())
    },
  })
  new Gauge({
    name: 'service_ready',
    help: '1 while the service can do its work, as /readyz says',
    registers: [registry],
    collect() {
      this.set(isReady() ? 1 : 0)
    },
  })
  return {
    public: registry,
    internal: new Registry(),
    observeReadiness(source) {
      isReady = source
    },
  }
}
