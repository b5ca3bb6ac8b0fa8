/**
 * kill -9 and other faults again and again, of the service or of its PostgreSQL, at random instants under load, and then the reckoning:
 * every accepted message has one answer, in order, each answer arrived under one id, nothing hangs, no event was missed.
 * With tools every message has effects made outside besides, and none of them is made twice.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { seededRandom } from '../../runtime/random.ts'
import { eventReader } from './event-reader.ts'
import { type Judgement, judge } from './judge.ts'
import { judgeEffects } from './judge-effects.ts'
import { nodesUnderKill } from './nodes-under-kill.ts'
import { outside } from './outside.ts'
import { senders } from './senders.ts'
import { serviceUnderKill } from './service-under-kill.ts'
import type { UnderKill } from './under-kill.ts'

export interface CrashOptions {
  rounds: number
  seed: number
  /** True: the model has effects made by tools before it answers. */
  hasTools?: boolean
  /** Processes of the service on one database. Default 1, which has its database with it. */
  nodesCount?: number
  /** People who write at once. */
  sendersCount?: number
  /** Told after each round. */
  onRound?: (round: number, fault: string) => void
}

export interface CrashResult extends Judgement {
  rounds: number
  seed: number
  /** How often each fault was made. */
  faults: Record<string, number>
  /** With tools: effects that were made once, and calls of which nobody knows. */
  effects: number
  unknownEffects: number
  tookS: number
  /** Where the service's log is; empty where everything was right and it is gone. */
  folder: string
}

const channel = 'crash'
const key = 'sk-crash-test-0000000000000000000000000000'
const sendersMax = 8
/** Milliseconds from ready to the next fault. */
const lifeMs = { least: 20, most: 900 }
/** What stands still for so long will not come. */
const quietMsMax = 30_000
/** At most, between two messages of one sender: a turn with tools takes five calls, and what waits has to be answered in the end. */
const pauseMs = { plain: 40, withTools: 800 }
const wrongsMax = 20

export async function crashRounds(options: CrashOptions): Promise<CrashResult> {
  const { rounds, seed, hasTools = false, nodesCount = 1, sendersCount = sendersMax, onRound } = options
  const random = seededRandom(seed)
  const startedMs = performance.now()
  const folder = await mkdtemp(join(tmpdir(), 'service-crash-'))
  await chmod(folder, 0o711)
  const world = await outside(random, { hasTools })
  const place = {
    folder,
    random,
    environment: {
      SERVICE_BOOTSTRAP_KEY: key,
      SERVICE_INBOUND_REQUIRE_BINDING: 'false',
      SERVICE_LLM_GATEWAY_URL: world.modelUrl,
      SERVICE_LLM_MODEL: 'm',
      SERVICE_HTTP_ALLOWLIST: world.effectsHost,
    },
  }
  const service: UnderKill = nodesCount > 1 ? await nodesUnderKill(place, nodesCount) : await serviceUnderKill(place)
  const faults: Record<string, number> = {}
  try {
    await service.start()
    await makeChannel(service.url(), world.webhookUrl)
    const reader = eventReader({ url: service.url, key })
    while (reader.connections === 0) await wait(10)
    const pauseMsMax = hasTools ? pauseMs.withTools : pauseMs.plain
    const people = senders({ url: service.url, channel, count: sendersCount, pauseMsMax, random })
    for (let round = 1; round <= rounds; round++) {
      await wait(lifeMs.least + random.next() * (lifeMs.most - lifeMs.least))
      const fault = await service.strike()
      faults[fault] = (faults[fault] ?? 0) + 1
      onRound?.(round, fault)
    }
    await people.stop()
    const db = await service.openDatabase()
    const evidence = { db, accepted: people.accepted, received: world.received, reader }
    const of = { effects: 0, unknown: 0 }
    const judgement = await settled(async () => {
      const judged = await judge(evidence)
      if (!hasTools) return judged
      const { wrongs, ...counts } = await judgeEffects({ ...evidence, ...world })
      Object.assign(of, counts)
      return { ...judged, wrongs: [...judged.wrongs, ...wrongs].slice(0, wrongsMax) }
    })
    await db.close()
    reader.stop()
    await service.stop()
    const isRight = judgement.wrongs.length === 0
    if (isRight) await rm(folder, { recursive: true, force: true })
    const tookS = Math.round((performance.now() - startedMs) / 1_000)
    const counts = { rounds, seed, faults, effects: of.effects, unknownEffects: of.unknown }
    return { ...judgement, ...counts, tookS, folder: isRight ? '' : folder }
  } finally {
    await service.kill()
    await world.close()
  }
}

/** Judges until nothing is wrong any more, or nothing has come any more for a while. */
async function settled(look: () => Promise<Judgement>): Promise<Judgement> {
  let delivered = -1
  let since = performance.now()
  for (;;) {
    const judgement = await look()
    if (judgement.delivered > delivered) since = performance.now()
    delivered = judgement.delivered
    if (judgement.wrongs.length === 0 || performance.now() - since > quietMsMax) return judgement
    await wait(500)
  }
}

async function makeChannel(url: string, webhookUrl: string): Promise<void> {
  const response = await fetch(`${url}/v1/admin/channels`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({
      name: channel,
      adapter: 'generic',
      config: { url: webhookUrl },
      policy: { attempts_max: 100, rate_per_s: 10_000 },
    }),
  })
  if (response.status !== 201) throw new Error(`the channel could not be made: ${response.status}`)
}
