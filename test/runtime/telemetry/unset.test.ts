import { execFile as execFileCallback } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const execFile = promisify(execFileCallback)
const root = new URL('../../../', import.meta.url)

/** Every module that is resolved when `files` are loaded. */
async function loadedBy(...files: string[]): Promise<string[]> {
  const preload = new URL('./loaded.ts', import.meta.url).href
  const script = files.map((file) => `import(${JSON.stringify(new URL(file, root).href)})`).join('\n')
  const { stdout } = await execFile(process.execPath, ['--import', preload, '-e', script], { maxBuffer: 32_000_000 })
  return JSON.parse(stdout.slice(stdout.indexOf('["'))) as string[]
}

test('with no endpoint set nothing of OpenTelemetry’s SDK is loaded with the gateway', async () => {
  const gateway = await loadedBy(
    'gateway/gateway.ts',
    'runtime/telemetry/metrics.ts',
    'runtime/log/log.ts',
    'runtime/supervise/gateway-process.ts',
  )
  expect(gateway.some((url) => url.endsWith('http/gateway.ts'))).toBe(true)
  // prom-client brings the API, a few kilobytes of types and no-ops; all that works is beside it.
  expect(gateway.filter((url) => /@opentelemetry\/(?!api\/)/.test(url))).toEqual([])
  const telemetry = await loadedBy('runtime/telemetry/otel.ts')
  expect(telemetry.some((url) => url.includes('@opentelemetry/sdk-node'))).toBe(true)
})
