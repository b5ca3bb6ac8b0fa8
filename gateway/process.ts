/** The gateway's process: its log, its signals, its start and its end. */

import { parseSetting, settingOf } from '../config/catalogue.ts'
import { commandName } from '../runtime/command-name.ts'
import { writeCompiledCode } from '../runtime/compile-cache.ts'
import { logDestination } from '../runtime/log/destination.ts'
import { createLog, type Log } from '../runtime/log/log.ts'
import { LogTail } from '../runtime/log/tail.ts'
import { version } from '../runtime/package.ts'
import { runGatewayProcess } from '../runtime/supervise/gateway-process.ts'
import { processPlace, replacedNode, restartedArgument } from '../runtime/supervise/messages.ts'
import { trimMemory } from '../runtime/supervise/trim-memory.ts'
import { createMetrics } from '../runtime/telemetry/metrics.ts'
import { atMost } from '../runtime/time/at-most.ts'
import { systemClock } from '../runtime/time/clock.ts'
import { ms } from '../runtime/time/duration.ts'
import { hold } from './hold.ts'
import { openStore } from './open-store.ts'
import { startProblems } from './start-problems.ts'

const environment = process.env
const tail = new LogTail({ linesMax: 10_000, bytesMax: 16_000_000 })
const destination = logDestination()
const place = processPlace(process.argv)
const log = ofPlace(createLog({ level: firstLevel(environment['SERVICE_LOG_LEVEL']), destination, tail }))
const metrics = createMetrics({ version })
/** A database of before may take its time to end. */
const spawnMsMax = ms(250)
let drainMs = 30_000
/** Clients wait: what they need not is left out. */
const isRestart = process.argv.includes(restartedArgument)

// Without a parent nothing else keeps the process alive while it waits for the database. It always ends by `process.exit`.
hold()

await runGatewayProcess({
  log,
  written: destination.written,
  metrics,
  problemsOf: startProblems,
  // Each part bounds its own drain; this is for a process that hangs all the same.
  stopMs: () => drainMs + 30_000,
  async start(signal) {
    const { store, startGateway } = await loadedBesideDatabase(signal)
    const gateway = await startGateway({
      environment,
      log,
      tail,
      metrics,
      version,
      signal,
      store,
      replaces: replacedNode(process.argv),
      place,
      // As whoever runs the service would.
      onDrainAsked: () => process.kill(process.pid, 'SIGTERM'),
      beforeListening() {
        writeCompiledCode()
        if (!isRestart) trimMemory()
      },
    })
    drainMs = gateway.drainMs
    if (gateway.firstKey) showFirstKey(gateway.firstKey)
    // Those after the first have the same.
    if (gateway.setupCode && place.number === 1) showSetupCode(gateway.setupCode, gateway.uiPort)
    return gateway
  },
})

/** Several processes write to one output. */
function ofPlace(root: Log): Log {
  return place.of > 1 ? root.child({ process: place.number }) : root
}

/** Until the settings are read. One that is not allowed is refused with them, and the log has to be there to say so. */
function firstLevel(text: string | undefined): string {
  try {
    return String(parseSetting('SERVICE_LOG_LEVEL', text || settingOf('SERVICE_LOG_LEVEL').default))
  } catch {
    return settingOf('SERVICE_LOG_LEVEL').default
  }
}

/** The database starts beside the loading of all else, which holds the thread: so its process is started first. */
async function loadedBesideDatabase(signal: AbortSignal) {
  const { promise: isWaiting, resolve: onWaiting } = Promise.withResolvers<void>()
  const isOfParent = place.of > 1
  const store = openStore(environment, { log, clock: systemClock, signal, isOfParent, onWaiting })
  const failed = store.then(
    () => undefined,
    () => undefined, // reported where the store is waited for
  )
  await atMost(spawnMsMax, Promise.race([isWaiting, failed]), { clock: systemClock })
  const { startGateway } = await import('./gateway.ts')
  return { store, startGateway }
}

/** Not in the log, which redacts keys: whoever starts the service reads it here, once. */
function showFirstKey(key: string): void {
  process.stdout.write(`\nThe first API key, with every scope. It is shown this once:\n\n    ${key}\n\n`)
}

/** Not in the log either: whoever reads it can become the owner. Printed at each start until there is an operator. */
function showSetupCode(code: string, uiPort: number | undefined): void {
  const where = uiPort === undefined ? 'the admin UI is switched off: run' : `open http://localhost:${uiPort}/, or run`
  const create = `${commandName()} operators create --login admin --generate`
  process.stdout.write(
    `\nThere is no operator yet. To become the first one ${where}\n\n    ${create}\n\nThe setup code:\n\n    ${code}\n\n`,
  )
}
