/**
 * `node bench/nodes/take-over.ts [--rounds 20]`: three gateways on one database. One is killed: how long until a conversation of
 * its is answered by another? One is stopped in good order: what do clients of the others notice? Over NATS where
 * SERVICE_NATS_URL is set, else through the database.
 */
import { parseArgs } from 'node:util'
import { slotOf } from '../../runtime/nodes/slot.ts'
import { readSlots } from '../../store/nodes/slots.ts'
import { endProgramsOnSignal } from '../process/forked.ts'
import { startUpstream } from '../servers/upstream.ts'
import { percentile } from '../statistics.ts'
import { type Cluster, type Gateway, withCluster } from './cluster.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' } } })
const rounds = Number(values.rounds)
const asked = 8
const clients = 8
let key = ''

endProgramsOnSignal()
const upstream = await startUpstream()
const environment = {
  SERVICE_OUTGOING_ALLOWLIST: '127.0.0.0/8',
  SERVICE_LLM_GATEWAY_URL: `http://127.0.0.1:${upstream.endpoint.port}/v1`,
}
await withCluster(environment, async (cluster) => {
  key = cluster.key
  const conversations: string[] = []
  while (conversations.length < 192) conversations.push(await begin(cluster.gateways[0] as Gateway))
  await afterKills(cluster, conversations)
  await duringStops(cluster, conversations)
})
await upstream.stop()

async function begin(at: Gateway): Promise<string> {
  const answer = await chat(at, 'new')
  if (answer.status !== 200) throw new Error(`no conversation: ${answer.status}`)
  return answer.conversation
}

async function chat(at: Gateway, conversation: string): Promise<{ status: number; conversation: string }> {
  const response = await fetch(`${at.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      'x-service-conversation-id': conversation,
    },
    body: JSON.stringify({ model: 'whole-5', messages: [{ role: 'user', content: 'hello' }] }),
  })
  await response.arrayBuffer()
  return { status: response.status, conversation: response.headers.get('x-service-conversation-id') ?? '' }
}

/** Those of one node are asked for at another from the moment of its death on, again and again until they are answered. */
async function afterKills({ db, gateways, start, areEven }: Cluster, conversations: readonly string[]): Promise<void> {
  const tookMs: number[] = []
  const statuses = new Map<number, number>()
  for (let round = 0; round < rounds; round++) {
    const killed = gateways.shift() as Gateway
    const owners = await readSlots(db)
    const its = conversations.filter((conversation) => owners[slotOf(conversation)]?.node === killed.node)
    process.kill(killed.program.pid, 'SIGKILL')
    const beganMs = performance.now()
    await Promise.all(
      its.slice(0, asked).map(async (conversation, at) => {
        const other = gateways[at % gateways.length] as Gateway
        for (;;) {
          const { status } = await chat(other, conversation)
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          if (status === 200) break
        }
        tookMs.push(performance.now() - beganMs)
      }),
    )
    gateways.push(await start())
    await areEven()
  }
  say(`${rounds} kills, ${tookMs.length} conversations answered elsewhere`, tookMs)
  print(`answers meanwhile: ${[...statuses].map(([status, count]) => `${status}: ${count}`).join(', ')}`)
}

/** Clients of the other two ask for all conversations while the third hands over what it has. */
async function duringStops({ gateways, start, areEven }: Cluster, conversations: readonly string[]): Promise<void> {
  const before: number[] = []
  const during: number[] = []
  let refused = 0
  for (let round = 0; round < rounds; round++) {
    const [stopped, ...others] = gateways as [Gateway, ...Gateway[]]
    let into: number[] | undefined = before
    const load = Array.from({ length: clients }, async (_, client) => {
      for (let turn = client; into; turn += clients) {
        const beganMs = performance.now()
        const conversation = conversations[turn % conversations.length] as string
        const { status } = await chat(others[turn % others.length] as Gateway, conversation)
        if (status !== 200) refused++
        into?.push(performance.now() - beganMs)
      }
    })
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    into = during
    await stopped.program.stop(30_000)
    into = undefined
    await Promise.all(load)
    gateways.splice(0, 1)
    gateways.push(await start())
    await areEven()
  }
  say(`before ${rounds} stops in good order`, before)
  say('during them, at the other nodes', during)
  print(`not answered with 200: ${refused}`)
}

function say(what: string, tookMs: readonly number[]): void {
  const [half, most, all] = [50, 99, 100].map((percent) => Math.round(percentile(tookMs, percent)))
  print(`${what}: ${tookMs.length} answers, p50 ${half} ms, p99 ${most} ms, longest ${all} ms`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
