/** The gateway's process: `service start` runs it, under its parent or alone. */
import { logDestination } from '../runtime/log/destination.ts'
import { createLog } from '../runtime/log/log.ts'
import { LogTail } from '../runtime/log/tail.ts'
import { version } from '../runtime/package.ts'
import { runGatewayProcess } from '../runtime/supervise/gateway-process.ts'
import { trimMemory } from '../runtime/supervise/trim-memory.ts'
import { createMetrics } from '../runtime/telemetry/metrics.ts'
import { startGateway } from './gateway.ts'
import { hold } from './hold.ts'

const environment = process.env
const tail = new LogTail({ linesMax: 10_000, bytesMax: 16_000_000 })
const destination = logDestination()
const log = createLog({ level: environment['SERVICE_LOG_LEVEL'] || 'info', destination, tail })
const metrics = createMetrics({ version })
let drainMs = 30_000

// Without a parent nothing else keeps the process alive while it waits for the database. It always ends by `process.exit`.
hold()

await runGatewayProcess({
  log,
  written: destination.written,
  metrics,
  // Each part bounds its own drain; this is for a process that hangs all the same.
  stopMs: () => drainMs + 30_000,
  async start(signal) {
    const gateway = await startGateway({
      environment,
      log,
      tail,
      metrics,
      version,
      signal,
      beforeListening: trimMemory,
    })
    drainMs = gateway.drainMs
    if (gateway.firstKey) showFirstKey(gateway.firstKey)
    if (gateway.setupCode) showSetupCode(gateway.setupCode, gateway.uiPort)
    return gateway
  },
})

/** Not in the log, which redacts keys: whoever starts the service reads it here, once. */
function showFirstKey(key: string): void {
  process.stdout.write(`\nThe first API key, with every scope. It is shown this once:\n\n    ${key}\n\n`)
}

/** Not in the log either: whoever reads it can become the owner. Printed at each start until there is an operator. */
function showSetupCode(code: string, uiPort: number | undefined): void {
  const where =
    uiPort === undefined
      ? 'the admin UI is switched off; or run: service operators create'
      : `open http://localhost:${uiPort}/, or run: service operators create`
  process.stdout.write(
    `\nThere is no operator yet. To become the first one ${where}. The setup code:\n\n    ${code}\n\n`,
  )
}
