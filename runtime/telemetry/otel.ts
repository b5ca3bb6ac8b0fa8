/**
 * Pushes traces, metrics and logs by OTLP over HTTP. This file and the SDK are loaded only where an
 * endpoint is configured: import it by `await import()` alone.
 */
import { type DiagLogger, DiagLogLevel, diag, metrics as metricsApi, trace } from '@opentelemetry/api'
import { logs as logsApi } from '@opentelemetry/api-logs'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { logs, metrics as metricsSdk, NodeSDK, resources, tracing } from '@opentelemetry/sdk-node'
import type { Log } from '../log/log.ts'
import type { LogTail } from '../log/tail.ts'
import { atMost } from '../time/at-most.ts'
import { systemClock } from '../time/clock.ts'
import { minutes, seconds } from '../time/duration.ts'
import type { Metrics } from './metrics.ts'
import { feedLogs } from './otel-logs.ts'
import { promProducer } from './otel-metrics.ts'
import { otelTracer } from './otel-tracer.ts'
import type { Tracer } from './trace.ts'

export interface TelemetryOptions {
  /** The base URL of the collector, such as `http://127.0.0.1:4318`: `/v1/traces`, `/v1/metrics` and `/v1/logs` are below it. */
  endpoint: string
  version: string
  metrics: Metrics
  log: Log
  /** The log to push; without it no logs are pushed. */
  tail?: LogTail | undefined
  metricsEveryMs?: number
}

export interface Telemetry {
  tracer: Tracer
  /** Sends what is waiting, for at most `atMostMs`. */
  close(atMostMs?: number): Promise<void>
}

/** Spans and lines that wait for the collector. Past it they are dropped: a collector that is down must cost nothing. */
const queue = { maxQueueSize: 2_048, maxExportBatchSize: 512, scheduledDelayMillis: 1_000, exportTimeoutMillis: 10_000 }
const exportMs = seconds(10)

export async function openTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const { endpoint, version, metrics, log, tail, metricsEveryMs = seconds(15) } = options
  diag.setLogger(limitedDiagnostics(log), { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true })
  const url = (signal: string): string => `${endpoint.replace(/\/+$/, '')}/v1/${signal}`
  // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win over ours.
  const resource = resources
    .resourceFromAttributes({ 'service.name': 'agent-platform-service', 'service.version': version })
    .merge(resources.detectResources({ detectors: [resources.envDetector] }))
  const sdk = new NodeSDK({
    resource,
    autoDetectResources: false,
    textMapPropagator: null, // `traceparent` is read by http/ and written by models/
    spanProcessors: [
      new tracing.BatchSpanProcessor(new OTLPTraceExporter({ url: url('traces'), timeoutMillis: exportMs }), queue),
    ],
    metricReaders: [
      new metricsSdk.PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter({ url: url('metrics'), timeoutMillis: exportMs }),
        exportIntervalMillis: metricsEveryMs,
        exportTimeoutMillis: Math.min(exportMs, metricsEveryMs),
        metricProducers: [promProducer([metrics.public, metrics.internal], resource)],
      }),
    ],
    logRecordProcessors: [
      new logs.BatchLogRecordProcessor({
        exporter: new OTLPLogExporter({ url: url('logs'), timeoutMillis: exportMs }),
        ...queue,
      }),
    ],
  })
  sdk.start()
  const feed = tail && feedLogs(tail, logsApi.getLogger('service', version))

  return {
    tracer: otelTracer(trace.getTracer('service', version)),
    async close(atMostMs = seconds(4)) {
      feed?.close()
      // The log has already reported a collector that is down; what was not sent is lost.
      const sent = sdk.shutdown().catch(() => undefined)
      await atMost(atMostMs, sent, {
        clock: systemClock,
        onLate: () => log.warn({ atMostMs }, 'telemetry could not be sent in time'),
      })
      trace.disable()
      metricsApi.disable()
      logsApi.disable()
      diag.disable()
    },
  }
}

/** The SDK reports every failed export. Once a minute is enough, as each report is one more line for the failing collector. */
function limitedDiagnostics(log: Log): DiagLogger {
  let untilMs = 0
  let suppressed = 0
  const report = (message: string): void => {
    const nowMs = performance.now()
    if (nowMs < untilMs) {
      suppressed++
      return
    }
    untilMs = nowMs + minutes(1)
    log.warn({ reason: message.slice(0, 500), suppressed }, 'telemetry could not be sent')
    suppressed = 0
  }
  const ignore = (): void => {}
  return { error: report, warn: ignore, info: ignore, debug: ignore, verbose: ignore }
}
