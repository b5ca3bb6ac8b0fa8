/**
 * `npm run long -- side-by-side [--seconds 10]`: two builds of this version under load on one database and one NATS, then a
 * rolling replacement of the first by the second. Nothing is lost or refused, and the first stays ready. Ends with 1 where it is not so.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort } from '../../bench/process/free-port.ts'
import { createLog } from '../../runtime/log/log.ts'
import { seededRandom } from '../../runtime/random.ts'
import { openDatabase } from '../../store/database.ts'
import { startEmbedded } from '../../store/embedded/start.ts'
import { eventReader } from '../crash/event-reader.ts'
import { mixedLoad } from '../crash/mixed-load.ts'
import { outside } from '../crash/outside.ts'
import { settled } from '../crash/rounds.ts'
import { keepSlotHistory } from '../crash/slot-history.ts'
import { ServiceProcess } from '../crash/under-kill.ts'
import { natsServer } from '../gateway/bus/support/nats-server.ts'
import { urlOf } from '../support/gateway.ts'
import { secondBuild } from './second-build.ts'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '10' } } })
const besideMs = Number(values.seconds) * 1_000
/** A proxy that looks every second has seen by then that a node is not to be asked any more. */
const proxyMs = 500

const key = 'sk-side-by-side-00000000000000000000000000'
const folder = await mkdtemp(join(tmpdir(), 'side-by-side-'))
await chmod(folder, 0o711)
const second = secondBuild(join(folder, 'second'))
const random = seededRandom(1)
const world = await outside(random)
const log = createLog({ level: 'silent', destination: { write() {} } })
const database = await startEmbedded({ dataDir: join(folder, 'database'), isDataDirExplicit: true, log })
const nats = await natsServer()
const running = new Set<ServiceProcess>()
/** Nodes that requests go to. */
const open: ServiceProcess[] = []
const wrongs: string[] = []
try {
  const firsts = [await node('first-1'), await node('first-2')]
  await keepSlotHistory(database.address)
  const reader = eventReader({ url, key })
  while (reader.connections === 0) await wait(10)
  const load = await mixedLoad({ service: { url, wasKilled: () => false }, world, reader, key, random })
  const watch = watchReadiness(firsts)
  await wait(besideMs / 4)

  say('the second build starts beside two nodes of the first')
  await node('second-1', second.program)
  await wait(besideMs)
  const db = openDatabase(database.address)
  const applied = await db.system<{ name: string }>`select name from schema_migrations`
  if (!applied.some(({ name }) => name.startsWith(second.migration))) wrongs.push('its migration was not applied')
  for (const [at, first] of firsts.entries()) {
    const refused = await refusedMessages(first)
    say(`first-${at + 1} has counted ${refused} messages that it does not know`)
    if (refused === 0) wrongs.push(`first-${at + 1} has counted no message that it does not know`)
  }

  for (const [at, first] of firsts.entries()) {
    say(`first-${at + 1} is replaced`)
    watch.leave(first)
    open.splice(open.indexOf(first), 1)
    await wait(proxyMs)
    first.signal('SIGTERM')
    while (first.isRunning) await wait(10)
    running.delete(first)
    await node(`second-${at + 2}`, second.program)
  }
  await wait(besideMs / 4)
  await Promise.all([load.stop(), watch.stop()])
  const judged = await settled(() => load.judge(db))
  reader.stop()
  await load.close()
  await db.close()
  wrongs.push(...judged.wrongs)
  say(JSON.stringify({ ...judged, looks: watch.looks, wrongs }, null, 2))
} catch (error) {
  wrongs.push(String(error))
  say(error instanceof Error ? (error.stack ?? error.message) : String(error))
} finally {
  await Promise.all([...running].map((each) => each.stop()))
  await nats.kill()
  await database.stop()
  await world.close()
  if (wrongs.length === 0) await rm(folder, { recursive: true, force: true })
  else say(`logs are in ${folder}`)
}
process.exit(wrongs.length === 0 ? 0 : 1)

async function node(name: string, program?: string): Promise<ServiceProcess> {
  const environment = {
    SERVICE_BOOTSTRAP_KEY: key,
    SERVICE_INBOUND_REQUIRE_BINDING: 'false',
    SERVICE_LLM_GATEWAY_URL: world.modelUrl,
    SERVICE_LLM_MODEL: 'm',
    SERVICE_HTTP_ALLOWLIST: world.effectsHost,
    SERVICE_WEBUI_ENABLED: 'false',
    // One folder: they have one master key.
    SERVICE_DATA_DIR: join(folder, 'shared'),
    SERVICE_DATABASE_URL: urlOf(database.address),
    SERVICE_NATS_URL: nats.url,
  }
  const started = new ServiceProcess({ folder, name, port: await freePort(), environment, ...(program && { program }) })
  running.add(started)
  await started.start()
  open.push(started)
  return started
}

function url(): string {
  return (open[Math.floor(random.next() * open.length)] as ServiceProcess).url
}

/** Each of them is ready as often as it is asked. */
function watchReadiness(nodes: readonly ServiceProcess[]) {
  const watched = new Set(nodes)
  let looks = 0
  let isOver = false
  const looking = (async () => {
    while (!isOver) {
      for (const each of watched) {
        const isReady = await each.isReady()
        if (!isReady && watched.has(each)) wrongs.push(`${each.url} was not ready beside the second build`)
        looks++
      }
      await wait(50)
    }
  })()
  return {
    get looks() {
      return looks
    },
    leave: (each: ServiceProcess) => watched.delete(each),
    stop() {
      isOver = true
      return looking
    },
  }
}

async function refusedMessages(of: ServiceProcess): Promise<number> {
  const answer = await fetch(`${of.url}/v1/admin/nodes`, { headers: { authorization: `Bearer ${key}` } })
  const { this_node, items } = (await answer.json()) as {
    this_node: number
    items: { node: number; load: { messages: { refused: number } | null } | null }[]
  }
  return items.find(({ node }) => node === this_node)?.load?.messages?.refused ?? 0
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
