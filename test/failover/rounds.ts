/**
 * Two gateways on a primary with a synchronous standby; the primary is lost and the standby promoted, again and again under load,
 * and then the reckoning: what was accepted, and what of it was lost, doubled or out of order.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../bench/process/free-port.ts'
import { seededRandom } from '../../runtime/random.ts'
import { openDatabase } from '../../store/database.ts'
import { type Callers, callers } from '../crash/callers.ts'
import { eventReader } from '../crash/event-reader.ts'
import { judge } from '../crash/judge.ts'
import { judgeClients } from '../crash/judge-clients.ts'
import { type Outside, outside } from '../crash/outside.ts'
import { type Senders, senders } from '../crash/senders.ts'
import { ServiceProcess } from '../crash/under-kill.ts'
import { startPair } from './pair.ts'
import { type Reckoning, reckon } from './reckoning.ts'

export interface FailoverResult extends Reckoning {
  rounds: number
  seed: number
  /** From the promotion to the first answer to a message that was accepted after it, by round. */
  secondsToTurn: number[]
  /** From the loss of the primary to that answer. */
  secondsDark: number[]
  /** From the promotion to the first answer to a call. */
  secondsToCall: number[]
  wrongs: string[]
  folder: string
}

const key = 'sk-failover-test-000000000000000000000000'
const channel = 'failover'
const load = { senders: 6, pauseMsMax: 60, callers: 4 }
/** From a pair that is whole to the next loss. */
const lifeMs = { least: 1_000, most: 3_000 }
const turnMsMax = 60_000
/** What stands still for so long will not come. */
const quietMsMax = 30_000

export async function failoverRounds(options: {
  rounds: number
  seed: number
  onRound?: (line: string) => void
}): Promise<FailoverResult> {
  const { rounds, seed, onRound } = options
  const random = seededRandom(seed)
  const folder = await mkdtemp(join(tmpdir(), 'service-failover-'))
  await chmod(folder, 0o711)
  const world = await outside(random)
  const pair = await startPair(folder)
  const gateways = await Promise.all([1, 2].map((number) => gatewayOn(pair.names, { folder, number, world })))
  const anyUrl = () => gateways[random.next() < 0.5 ? 0 : 1]?.url ?? ''
  const times = { toTurn: [] as number[], dark: [] as number[], toCall: [] as number[] }
  try {
    for (const gateway of gateways) await gateway.start()
    await makeChannel(anyUrl(), world.webhookUrl)
    const reader = eventReader({ url: anyUrl, key })
    while (reader.connections === 0) await wait(10)
    const people = senders({
      url: anyUrl,
      role: 'sender',
      channel,
      count: load.senders,
      pauseMsMax: load.pauseMsMax,
      random,
      answered: world.answered,
    })
    const clients = callers({
      url: anyUrl,
      key,
      role: 'asker',
      model: 'm',
      isStored: true,
      count: load.callers,
      random,
    })
    for (let round = 1; round <= rounds; round++) {
      await wait(lifeMs.least + random.next() * (lifeMs.most - lifeMs.least))
      const { fault, lostMs, promotedMs } = await pair.failOver(round)
      const [turnMs, callMs] = await Promise.all([nextTurn(people, world), nextCall(clients, promotedMs)])
      times.toTurn.push(seconds(turnMs - promotedMs))
      times.dark.push(seconds(turnMs - lostMs))
      times.toCall.push(seconds(callMs - promotedMs))
      const figures = `promoted after ${seconds(promotedMs - lostMs)} s, a turn ${times.toTurn.at(-1)} s and a call ${times.toCall.at(-1)} s later`
      onRound?.(`round ${round}: ${fault}; ${figures}`)
      await pair.mend()
    }
    await people.stop()
    await clients.stop()
    const db = openDatabase({ url: `postgres://service@${pair.primary.name}/postgres` })
    const own = new Set(clients.answers.map(({ conversationId }) => conversationId))
    const events = () => reader.events.filter(({ data }) => !own.has(String(data['conversation_id'])))
    const judged = await settled(async () => {
      const { wrongs, delivered } = await judge({
        ...{ db, accepted: people.accepted, received: world.received },
        reader: { ...reader, events: events(), resets: reader.resets, connections: reader.connections },
      })
      const ofClients = await judgeClients({ db, answers: clients.answers, chats: [], wasKilled: () => false })
      const reckoning = await reckon(db, people.accepted, clients.answers)
      return { wrongs: [...wrongs, ...ofClients], delivered, reckoning }
    })
    await db.close()
    reader.stop()
    for (const gateway of gateways) await gateway.stop()
    const isRight = isAllRight(judged)
    if (isRight) await rm(folder, { recursive: true, force: true })
    return {
      ...{ rounds, seed, ...judged.reckoning },
      ...{ secondsToTurn: times.toTurn, secondsDark: times.dark, secondsToCall: times.toCall },
      ...{ wrongs: judged.wrongs, folder: isRight ? '' : folder },
    }
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.kill()))
    await pair.kill()
    await world.close()
  }
}

interface Judged {
  wrongs: string[]
  delivered: number
  reckoning: Reckoning
}

function isAllRight({ wrongs, reckoning: { lost, doubled, outOfOrder } }: Judged): boolean {
  return wrongs.length === 0 && lost + doubled + outOfOrder === 0
}

/** Judges until nothing is wrong any more, or nothing has come any more for a while. */
async function settled(look: () => Promise<Judged>): Promise<Judged> {
  let delivered = -1
  let since = performance.now()
  for (;;) {
    const judged = await look()
    if (judged.delivered > delivered) since = performance.now()
    delivered = judged.delivered
    if (isAllRight(judged) || performance.now() - since > quietMsMax) return judged
    await wait(500)
  }
}

async function gatewayOn(
  names: readonly string[],
  { folder, number, world }: { folder: string; number: number; world: Outside },
): Promise<ServiceProcess> {
  const environment = {
    SERVICE_BOOTSTRAP_KEY: key,
    SERVICE_INBOUND_REQUIRE_BINDING: 'false',
    SERVICE_LLM_GATEWAY_URL: world.modelUrl,
    SERVICE_LLM_MODEL: 'm',
    // One folder: they have one master key.
    SERVICE_DATA_DIR: join(folder, 'shared'),
    SERVICE_DATABASE_URL: `postgres://service@${names.join(',')}/postgres?target_session_attrs=read-write`,
  }
  return new ServiceProcess({ folder, name: `gateway-${number}`, port: await freePort(), environment })
}

async function makeChannel(url: string, webhookUrl: string): Promise<void> {
  const response = await fetch(`${url}/v1/admin/channels`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({
      ...{ name: channel, adapter: 'generic', config: { url: webhookUrl } },
      policy: { attempts_max: 100, rate_per_s: 10_000 },
    }),
  })
  if (response.status !== 201) throw new Error(`the channel could not be made: ${response.status}`)
}

/** @returns when the first answer arrived to a message that was accepted from now on */
async function nextTurn(people: Senders, world: Outside): Promise<number> {
  const before = new Map([...people.accepted].map(([sender, said]) => [sender, said.length]))
  const from = world.received.length
  return await moment(() =>
    world.received.slice(from).some(({ externalId, text }) => {
      const said = people.accepted.get(externalId) ?? []
      return said.slice(before.get(externalId)).some((message) => `re: ${message.text}` === text)
    }),
  )
}

/** @returns when the first call was answered to the end that was made since then */
async function nextCall(clients: Callers, sinceMs: number): Promise<number> {
  return await moment(() => clients.answers.some(({ end, fromMs }) => end === 'complete' && fromMs >= sinceMs))
}

async function moment(isSo: () => boolean): Promise<number> {
  const giveUpAt = performance.now() + turnMsMax
  while (!isSo()) {
    if (performance.now() > giveUpAt) throw new Error(`nothing was answered within ${turnMsMax} ms after a promotion`)
    await wait(5)
  }
  return performance.now()
}

const seconds = (ms: number): number => Math.round(ms / 10) / 100
