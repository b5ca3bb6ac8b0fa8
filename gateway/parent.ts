/** The parent of several gateways, which share its ports and, where no other is set, its built-in database. */
import { availableParallelism } from 'node:os'
import { parseSetting } from '../config/catalogue.ts'
import type { Environment } from '../config/settings.ts'
import { logDestination } from '../runtime/log/destination.ts'
import { createLog, type Log } from '../runtime/log/log.ts'
import { exitCode, exitCodeOf } from '../runtime/supervise/exit-code.ts'
import { superviseGateway } from '../runtime/supervise/parent.ts'
import { onStopSignals } from '../runtime/supervise/signals.ts'
import { externalAddressOf, startBuiltIn } from './open-store.ts'
import { startProblems } from './start-problems.ts'

/** Its connections, and its share of the cores, are for no more. */
const processesOnBuiltInMax = 4

/** @param entry the gateway's entry file; resolves with the exit code for this process */
export async function superviseGateways(environment: Environment, entry: URL): Promise<number> {
  const destination = logDestination()
  const log = createLog({ level: 'info', destination }).child({ room: 'parent' })
  try {
    const isExternal = externalAddressOf(environment) !== null
    const wished = parseSetting(
      'SERVICE_GATEWAY_PROCESSES',
      environment['SERVICE_GATEWAY_PROCESSES'] ?? '',
      'environment',
    )
    const processes = processesOf(wished, isExternal, log)
    const supervise = () =>
      superviseGateway({ entry, processes, log: (level, message, fields = {}) => log[level](fields, message) })
    return await (isExternal ? supervise() : onBuiltIn(environment, log, supervise))
  } catch (error) {
    for (const fields of startProblems(error)) log.fatal(fields, 'the service did not start')
    return exitCodeOf(error)
  } finally {
    await destination.written()
  }
}

function processesOf(wished: number | 'auto', isExternal: boolean, log: Log): number {
  const processes = wished === 'auto' ? availableParallelism() : wished
  if (isExternal || processes <= processesOnBuiltInMax) return processes
  const fields = { wished: processes, processes: processesOnBuiltInMax }
  log.warn(fields, 'the built-in database is for a few processes only: set SERVICE_DATABASE_URL for more')
  return processesOnBuiltInMax
}

async function onBuiltIn(environment: Environment, log: Log, supervise: () => Promise<number>): Promise<number> {
  let isStopping = false
  const stop = () => {
    isStopping = true
  }
  const ignoreAgain = onStopSignals({ onStop: stop, onInsist: stop })
  const database = await startBuiltIn(environment, { log })
  try {
    return isStopping ? exitCode.ok : await supervise()
  } finally {
    await database.stop()
    ignoreAgain()
  }
}
