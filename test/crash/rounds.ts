/**
 * kill -9 and other faults again and again, of the service or of its PostgreSQL, at random instants under load, and then the reckoning:
 * every accepted message has one answer, in order, each answer arrived under one id, nothing hangs, no event was missed.
 * With tools every message has effects made outside besides, and none of them is made twice. With several nodes there are streamed
 * calls, web chats and approvals too, and no slot is two nodes' at once.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { seededRandom } from '../../runtime/random.ts'
import { eventReader } from './event-reader.ts'
import type { Judged } from './load.ts'
import { mixedLoad } from './mixed-load.ts'
import { nodesUnderKill } from './nodes-under-kill.ts'
import { oneNodeLoad } from './one-node-load.ts'
import { outside } from './outside.ts'
import { serviceUnderKill } from './service-under-kill.ts'
import type { UnderKill } from './under-kill.ts'

export interface CrashOptions {
  rounds: number
  seed: number
  /** True: the model has effects made by tools before it answers. Of several nodes some of it always has. */
  hasTools?: boolean
  /** Processes of the service on one database. Default 1, which has its database with it. */
  nodesCount?: number
  /** Messages between nodes go over a nats-server, else through the database. */
  hasNats?: boolean
  /** People who write at once to one node. */
  sendersCount?: number
  /** Told after each round. */
  onRound?: (round: number, fault: string) => void
}

export interface CrashResult extends Judged {
  rounds: number
  seed: number
  /** How often each fault was made. */
  faults: Record<string, number>
  tookS: number
  /** Where the service's log is; empty where everything was right and it is gone. */
  folder: string
}

const key = 'sk-crash-test-0000000000000000000000000000'
const sendersMax = 8
/** Milliseconds from ready to the next fault. */
const lifeMs = { least: 20, most: 900 }
/** What stands still for so long will not come. */
const quietMsMax = 30_000
const wrongsMax = 20

export async function crashRounds(options: CrashOptions): Promise<CrashResult> {
  const {
    rounds,
    seed,
    nodesCount = 1,
    hasNats = false,
    hasTools = false,
    sendersCount = sendersMax,
    onRound,
  } = options
  const startedMs = performance.now()
  const folder = await mkdtemp(join(tmpdir(), 'service-crash-'))
  await chmod(folder, 0o711)
  const loadRandom = seededRandom(seed + 1)
  const world = await outside(loadRandom)
  const place = {
    folder,
    faultsRandom: seededRandom(seed),
    loadRandom,
    environment: {
      SERVICE_BOOTSTRAP_KEY: key,
      SERVICE_INBOUND_REQUIRE_BINDING: 'false',
      SERVICE_LLM_GATEWAY_URL: world.modelUrl,
      SERVICE_LLM_MODEL: 'm',
      SERVICE_HTTP_ALLOWLIST: world.effectsHost,
    },
  }
  const service: UnderKill =
    nodesCount > 1 ? await nodesUnderKill(place, { count: nodesCount, hasNats }) : await serviceUnderKill(place)
  const faults: Record<string, number> = {}
  try {
    await service.start()
    const reader = eventReader({ url: service.url, key })
    while (reader.connections === 0) await wait(10)
    const parts = { service, world, reader, key, random: loadRandom }
    const load = nodesCount > 1 ? await mixedLoad(parts) : await oneNodeLoad(parts, { hasTools, count: sendersCount })
    for (let round = 1; round <= rounds; round++) {
      await wait(lifeMs.least + place.faultsRandom.next() * (lifeMs.most - lifeMs.least))
      const fault = await service.strike()
      faults[fault] = (faults[fault] ?? 0) + 1
      onRound?.(round, fault)
    }
    await load.stop()
    const db = await service.openDatabase()
    const { wrongs, ...judged } = await settled(() => load.judge(db))
    await db.close()
    reader.stop()
    await load.close()
    await service.stop()
    const isRight = wrongs.length === 0
    if (isRight) await rm(folder, { recursive: true, force: true })
    const tookS = Math.round((performance.now() - startedMs) / 1_000)
    const of = { rounds, seed, faults, tookS, folder: isRight ? '' : folder }
    return { ...of, ...judged, wrongs: wrongs.slice(0, wrongsMax) }
  } finally {
    await service.kill()
    await world.close()
  }
}

/** Judges until nothing is wrong any more, or nothing has come any more for a while. */
export async function settled(look: () => Promise<Judged>): Promise<Judged> {
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
