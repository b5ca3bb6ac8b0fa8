import { Writable } from 'node:stream'
import { Counter, Histogram } from 'prom-client'
import { afterEach, describe, expect, test } from 'vitest'
import { freePort } from '../../../bench/process/free-port.ts'
import { createLog } from '../../../runtime/log/log.ts'
import { LogTail } from '../../../runtime/log/tail.ts'
import { createMetrics } from '../../../runtime/telemetry/metrics.ts'
import { openTelemetry, type Telemetry } from '../../../runtime/telemetry/otel.ts'
import { type Collector, openCollector } from '../../support/otlp-collector.ts'
import { recordingLog } from '../../support/recording-log.ts'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
})

async function telemetryTo(endpoint: string, more: { tail?: LogTail; metricsEveryMs?: number } = {}) {
  const { log, lines } = recordingLog()
  const metrics = createMetrics()
  const telemetry: Telemetry = await openTelemetry({ endpoint, version: '1.2.3', metrics, log, ...more })
  return { telemetry, metrics, lines }
}

async function collecting(options?: { isSilent: boolean }): Promise<Collector> {
  const collector = await openCollector(options)
  opened.push(collector)
  return collector
}

/** Every object below `value` that has `field`, in order: OTLP nests by resource and scope. */
function withField(value: unknown, field: string): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return []
  const own = Object.hasOwn(value, field) ? [value as Record<string, unknown>] : []
  return [...own, ...Object.values(value).flatMap((inner) => withField(inner, field))]
}

describe('telemetry by OTLP', () => {
  test('spans arrive as one tree, with attributes, links and errors', async () => {
    const { endpoint, received } = await collecting()
    const { telemetry } = await telemetryTo(endpoint)
    const { tracer } = telemetry
    const other = tracer.span('other request')
    const request = tracer.span('request', undefined, { route: '/v1/ping' })
    await tracer.inSpan(request.context, async () => {
      await Promise.resolve()
      const query = tracer.span('query', tracer.current(), {}, other.context && [other.context])
      query.fail(new TypeError('no such table'))
      query.end()
    })
    request.end()
    other.end()
    await telemetry.close()
    const spans = withField(received.get('/v1/traces'), 'spanId').filter((span) => span['name'])
    const named = (name: string) => spans.find((span) => span['name'] === name)
    expect(named('request')).toMatchObject({
      attributes: [{ key: 'route', value: { stringValue: '/v1/ping' } }],
    })
    expect(named('query')).toMatchObject({
      traceId: request.context?.traceId,
      parentSpanId: request.context?.spanId,
      links: [{ traceId: other.context?.traceId, spanId: other.context?.spanId }],
      status: { code: 2, message: 'no such table' },
      events: [{ name: 'exception' }],
    })
    expect(tracer.current()).toBeUndefined()
    expect(JSON.stringify(received.get('/v1/traces'))).toContain('agent-platform-service')
  })

  test('both registries arrive: counters, gauges and histograms with each bucket’s own count', async () => {
    const { endpoint, received } = await collecting()
    const { telemetry, metrics } = await telemetryTo(endpoint)
    const registers = [metrics.internal]
    new Counter({ name: 'made_total', help: 'h', labelNames: ['kind'], registers }).inc({ kind: 'a' }, 3)
    const lengths = new Histogram({ name: 'length_seconds', help: 'h', buckets: [1, 2, 4], registers })
    for (const value of [0.5, 1.5, 1.7, 3, 9]) lengths.observe(value)
    metrics.onScrape('service_ready', (gauge) => gauge.set(1))
    await telemetry.close()
    const pushed = withField(received.get('/v1/metrics'), 'name')
    const named = (name: string) => pushed.find((metric) => metric['name'] === name)
    expect(named('made_total')).toMatchObject({
      sum: { isMonotonic: true, dataPoints: [{ asDouble: 3, attributes: [{ key: 'kind' }] }] },
    })
    expect(named('length_seconds')).toMatchObject({
      unit: 's',
      histogram: {
        dataPoints: [{ count: 5, sum: 15.7, explicitBounds: [1, 2, 4], bucketCounts: [1, 2, 1, 1] }],
      },
    })
    expect(named('service_ready')).toMatchObject({ gauge: { dataPoints: [{ asDouble: 1 }] } })
    expect(named('process_cpu_seconds_total')).toBeDefined()
  })

  test('metrics are pushed again and again, without anybody asking', async () => {
    const { endpoint, received } = await collecting()
    const { telemetry } = await telemetryTo(endpoint, { metricsEveryMs: 20 })
    opened.push(telemetry)
    await expect.poll(() => received.get('/v1/metrics')?.length).toBeGreaterThan(2)
  })

  test('log lines arrive in order with severity, message, fields and trace, redacted', async () => {
    const { endpoint, received } = await collecting()
    const tail = new LogTail()
    const destination = new Writable({ write: (_chunk, _encoding, done) => done() })
    const log = createLog({ level: 'debug', tail, destination })
    log.info({ room: 'store' }, 'before telemetry was open')
    const { telemetry } = await telemetryTo(endpoint, { tail })
    const trace = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }
    log.error({ ...trace, token: 'hidden', err: new Error('no') }, 'query failed')
    for (let count = 0; count < 500; count++) log.debug({ count }, 'many')
    await telemetry.close()
    const records = withField(received.get('/v1/logs'), 'severityNumber')
    expect(records.length).toBe(502)
    expect(records[0]).toMatchObject({
      severityNumber: 9,
      severityText: 'info',
      body: { stringValue: 'before telemetry was open' },
      attributes: [{ key: 'room', value: { stringValue: 'store' } }],
    })
    expect(records[1]).toMatchObject({ severityNumber: 17, ...trace })
    expect(records[2]).toMatchObject({ severityNumber: 5 })
    expect(JSON.stringify(records)).not.toContain('hidden')
  })

  test('lines that the tail dropped before they were passed on are owned up to', async () => {
    const { endpoint, received } = await collecting()
    const tail = new LogTail({ linesMax: 10, bytesMax: 100_000 })
    for (let count = 0; count < 25; count++) tail.push(30, '{"level":"info","msg":"one of many"}')
    const { telemetry } = await telemetryTo(endpoint, { tail })
    await telemetry.close()
    const records = withField(received.get('/v1/logs'), 'severityNumber')
    expect(records.length).toBe(11)
    expect(records.at(-1)).toMatchObject({
      body: { stringValue: 'log lines were dropped before they were sent' },
      attributes: [{ key: 'missed', value: { intValue: 15 } }],
    })
  })

  test('a collector that is down costs one line of the log and nothing else', async () => {
    const endpoint = `http://127.0.0.1:${await freePort()}`
    const tail = new LogTail()
    const { telemetry, lines } = await telemetryTo(endpoint, { tail, metricsEveryMs: 50 })
    for (let count = 0; count < 10_000; count++) {
      telemetry.tracer.span('lost').end()
      tail.push(30, '{"level":"info","msg":"lost"}')
    }
    await expect.poll(() => lines.length).toBeGreaterThan(0)
    await telemetry.close(500)
    expect(lines.filter((line) => line.msg === 'telemetry could not be sent').length).toBe(1)
  })

  test('a collector that never answers does not hold up the end', async () => {
    const { endpoint } = await collecting({ isSilent: true })
    const { telemetry, lines } = await telemetryTo(endpoint)
    telemetry.tracer.span('held').end()
    await telemetry.close(200)
    expect(lines.map((line) => line.msg)).toContain('telemetry could not be sent in time')
  })
})
