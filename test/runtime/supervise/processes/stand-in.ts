/** A small gateway that does on request what real ones do by accident. Its words go to standard output, a line each. */
import { createServer } from 'node:http'
import { logDestination } from '../../../../runtime/log/destination.ts'
import { createLog } from '../../../../runtime/log/log.ts'
import { runGatewayProcess } from '../../../../runtime/supervise/gateway-process.ts'
import { processPlace, restartedArgument } from '../../../../runtime/supervise/messages.ts'

const { PORTS = '0', WATCHDOG_MS = '0', BEHAVIOUR = 'serve', STOP_MS = '20000' } = process.env
const destination = logDestination()
const log = createLog({ level: 'info', destination })

const place = processPlace(process.argv)
const port = Number(PORTS.split(',')[place.number - 1])
const isRestart = process.argv.includes(restartedArgument)
const finish = Promise.withResolvers<void>()

const deeds: Record<string, () => unknown> = {
  '/segv': () => process.kill(process.pid, 'SIGSEGV'),
  '/abort': () => process.abort(),
  '/finish': () => finish.resolve(),
  '/exit': () => process.exit(9),
  '/throw': () =>
    setImmediate(() => {
      throw new Error('nobody catches me')
    }),
  '/reject': () => void Promise.reject(new Error('nobody handles me')),
  '/spin': () => {
    for (;;);
  },
  '/pause': () => {
    const until = Date.now() + 1_500
    while (Date.now() < until);
  },
}

await runGatewayProcess({
  log,
  written: destination.written,
  watchdogMs: Number(WATCHDOG_MS),
  stopMs: () => Number(STOP_MS),
  async start(signal) {
    if (BEHAVIOUR === 'misconfigured') throw Object.assign(new Error('bad value'), { code: 'settings_refused' })
    if (BEHAVIOUR === 'second misconfigured' && place.number === 2)
      throw Object.assign(new Error('bad value'), { code: 'settings_refused' })
    if (BEHAVIOUR === 'no start') throw new Error('port in use')
    if (BEHAVIOUR === 'slow start') {
      log.info('starting slowly')
      await new Promise((_, reject) => {
        const alive = setInterval(() => {}, 1_000)
        signal.addEventListener('abort', () => {
          clearInterval(alive)
          reject(signal.reason)
        })
      })
    }
    if (BEHAVIOUR === 'no second start' && isRestart) process.abort()
    const server = createServer((request, response) => {
      response.end(String(process.pid))
      const deed = deeds[request.url ?? '']
      if (deed) setImmediate(deed)
    })
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    log.info({ port: (server.address() as { port: number }).port, place, isRestart }, 'serving')
    if (BEHAVIOUR === 'crash when ready') setImmediate(() => void destination.written().then(() => process.abort()))
    return {
      stats: () => ({ figure: 42 }),
      async stop() {
        if (BEHAVIOUR === 'endless drain') await new Promise(() => {})
        if (BEHAVIOUR === 'patient drain') await finish.promise
        server.close()
        server.closeAllConnections()
        log.info('drained')
      },
    }
  },
})
