/**
 * `npm run cluster`: several gateways, PostgreSQL, NATS and a proxy on this machine, to see how they behave when one is killed
 * or drained. It takes commands; Ctrl-C ends all. Settings (`SERVICE_*`) of the shell go to every gateway.
 */
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { urlOf } from '../bench/ours/database.ts'
import { freePort } from '../bench/process/free-port.ts'
import { type NatsProcess, startNats } from '../bench/process/nats.ts'
import { createLog } from '../runtime/log/log.ts'
import { startEmbedded } from '../store/embedded/start.ts'
import { type ClusterNode, clusterNode } from './cluster/node.ts'
import { startProxy } from './cluster/proxy.ts'

const help = `npm run cluster -- [options]
  --nodes N       gateways (default 3)
  --port N        of the proxy before their API (default 8780)
  --ui-port N     of the proxy before their admin UI (default 8781)
  --data FOLDER   where data and logs stay (default: a temporary folder, gone at the end)
  --no-nats       nodes talk through the database, as where nats-server is not installed
Commands, while it runs: kill N, drain N, start N, list
`

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '3' },
    port: { type: 'string', default: '8780' },
    'ui-port': { type: 'string', default: '8781' },
    data: { type: 'string' },
    'no-nats': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const count = Number(values.nodes)
if (values.help || !(Number.isInteger(count) && count >= 1 && count <= 16)) {
  process.stdout.write(help)
  process.exit(values.help ? 0 : 2)
}

const lookMs = 200
const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => ending.abort())

const data = values.data === undefined ? await mkdtemp(join(tmpdir(), 'cluster-')) : resolve(values.data)
await mkdir(data, { recursive: true })
// Started as root, the database runs as another user, who has to pass through.
await chmod(data, 0o711)
const log = createLog({ level: 'warn' })
const database = await startEmbedded({ dataDir: join(data, 'database'), isDataDirExplicit: true, log })
const nats = values['no-nats'] ? undefined : await natsIfInstalled()
const nodes: ClusterNode[] = []
const targets = (port: 'port' | 'uiPort') => () =>
  nodes.filter(({ isReady }) => isReady).map((node) => ({ host: '127.0.0.1', port: node[port] }))
const api = await startProxy({ port: Number(values.port), nodes: targets('port') })
const ui = await startProxy({ port: Number(values['ui-port']), nodes: targets('uiPort') })

const environment = {
  SERVICE_WEBUI_API_BASE: `http://localhost:${api.port}`,
  SERVICE_WEBUI_ORIGIN: `http://localhost:${ui.port}`,
  SERVICE_TRUSTED_PROXIES: '127.0.0.1',
  ...process.env,
  // One folder: they have one master key.
  SERVICE_DATA_DIR: join(data, 'nodes'),
  // The setting wants a host before the path; the one of the socket counts.
  SERVICE_DATABASE_URL: urlOf(database.address).replace('@/', '@localhost/'),
  ...(nats && { SERVICE_NATS_URL: nats.url }),
}
for (let number = 1; number <= count; number++) {
  const name = `node-${number}`
  const ports = { port: await freePort(), uiPort: await freePort(), webhookPort: await freePort() }
  const options = { name, ...ports, folder: data, environment }
  nodes.push(
    clusterNode({
      ...options,
      onText: number === 1 ? sayOfFirst : () => {},
      onEnd: (how) => say(`${name} has ended: ${how}`),
    }),
  )
}
const looking = keepLooking()
// The first one brings the schema, and says the first key and the setup code.
await started(nodes.slice(0, 1))
await started(nodes.slice(1))
list()
const commands = createInterface(process.stdin).on('line', (line) => void obey(line.trim()))

await new Promise<void>((resolve) => {
  if (ending.signal.aborted) resolve()
  ending.signal.addEventListener('abort', () => resolve())
})
say('stopping')
commands.close()
process.stdin.destroy()
await looking
await Promise.all(nodes.map((node) => node.end('SIGTERM')))
await Promise.all([api.close(), ui.close()])
await nats?.stop()
await database.stop()
if (values.data === undefined) await rm(data, { recursive: true, force: true })

async function natsIfInstalled(): Promise<NatsProcess | undefined> {
  try {
    return await startNats()
  } catch (error) {
    say(`${error instanceof Error ? error.message : error}; nodes talk through the database`)
    return undefined
  }
}

async function keepLooking(): Promise<void> {
  while (!ending.signal.aborted) {
    await Promise.all(nodes.map((node) => node.look()))
    await pause(lookMs, undefined, { signal: ending.signal }).catch(() => undefined)
  }
}

async function started(some: readonly ClusterNode[]): Promise<void> {
  for (const node of some) node.start()
  while (!ending.signal.aborted && some.some(({ isReady }) => !isReady)) {
    if (some.some(({ pid }) => pid === undefined)) {
      say(`a node did not start: its log is in ${data}`)
      process.exitCode = 1
      ending.abort()
    }
    await pause(lookMs)
  }
}

async function obey(line: string): Promise<void> {
  const [command = '', number = ''] = line.split(/\s+/)
  const node = nodes[Number(number) - 1]
  if (command === 'list') list()
  else if (command === 'start' && node) node.start()
  else if (command === 'kill' && node) await node.end('SIGKILL')
  else if (command === 'drain' && node) await node.end('SIGTERM')
  else if (line !== '') say('kill N, drain N, start N, list, or Ctrl-C')
}

function list(): void {
  say(`
The API:       http://localhost:${api.port}    each request goes to the next node that is ready
The admin UI:  http://localhost:${ui.port}
Database:      process ${database.pid}, ${join(data, 'database')}
Messages:      ${nats ? `NATS, process ${nats.pid}, ${nats.url}` : 'through the database'}`)
  for (const { name, number, port, pid, isReady } of nodes) {
    const state = pid === undefined ? 'ended' : `process ${pid}, ${isReady ? `ready, number ${number}` : 'not ready'}`
    say(`${name}:        http://127.0.0.1:${port}    ${state}, ${join(data, `${name}.log`)}`)
  }
  const { SERVICE_DATA_DIR, SERVICE_DATABASE_URL } = environment
  say(`
Commands: kill N, drain N, start N, list. Ctrl-C ends all. N is that of node-N; the service counts starts, and has the numbers above:
  SERVICE_DATA_DIR='${SERVICE_DATA_DIR}' SERVICE_DATABASE_URL='${SERVICE_DATABASE_URL}' node bin/service.js nodes`)
}

/** The first key and the setup code, with the address of the proxy in place of the node's own. */
function sayOfFirst(line: string): void {
  say(line.replace(`localhost:${nodes[0]?.uiPort}`, `localhost:${ui.port}`))
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
