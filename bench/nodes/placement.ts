/**
 * `node bench/nodes/placement.ts`: how slots and conversations lie on 1 to 32 nodes, how many slots move when nodes come and go, and
 * how long it takes until nothing is a lost node's any more. The nodes are real in what they say to a real database, and all of
 * them are in this process; they have no actors.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { joinNodes, type Membership } from '../../gateway/membership.ts'
import { createLog } from '../../runtime/log/log.ts'
import { leaseMs } from '../../runtime/nodes/leases.ts'
import { slotCount, slotOf } from '../../runtime/nodes/slot.ts'
import { type Clock, systemClock } from '../../runtime/time/clock.ts'
import { type Database, openDatabase } from '../../store/database.ts'
import { newConversationId } from '../../store/id.ts'
import { newNodeNumber } from '../../store/nodes/nodes.ts'
import { readSlots } from '../../store/nodes/slots.ts'
import { withDatabase } from '../ours/database.ts'

interface Node {
  number: number
  membership: Membership
  /** It says nothing any more, as a machine that has lost its power. */
  kill(): void
}

const log = createLog({ level: 'error' })
const conversations = Array.from({ length: 100_000 }, () => slotOf(newConversationId()))
const nodes: Node[] = []

await withDatabase(async (address) => {
  const db = openDatabase(address)
  await joined(db, 1)
  print(['nodes', 'slots moved', 'must move', 'seconds', 'slots a node', 'conversations a node'])
  for (const count of [2, 4, 8, 16, 32]) {
    const before = await owners(db)
    const startedMs = performance.now()
    await joined(db, count)
    await evenly(db)
    await report(`${before.living} → ${count}`, { before, now: await owners(db), startedMs })
  }
  for (const count of [1, 8, 16]) {
    const before = await owners(db)
    const startedMs = performance.now()
    for (const node of nodes.splice(0, count)) node.kill()
    await evenly(db)
    await report(`${before.living}, ${count} lost`, { before, now: await owners(db), startedMs })
    await joined(db, 32)
    await evenly(db)
  }
  for (const { membership } of nodes) await membership.close()
  await db.close()
})

async function joined(db: Database, count: number): Promise<void> {
  const more = Array.from({ length: count - nodes.length }, () => join(db))
  nodes.push(...(await Promise.all(more)))
}

async function join(db: Database): Promise<Node> {
  const started = { version: 'bench', pid: process.pid }
  const number = await newNodeNumber(db, leaseMs)
  let isDead = false
  const clock: Clock = {
    ...systemClock,
    after: (delayMs, fire) => systemClock.after(delayMs, () => void (isDead || fire())),
  }
  const membership = joinNodes({
    ...{ db, clock, log, node: number, process: started, isAlone: false },
    recover: async () => {},
  })
  await membership.start(new AbortController().signal)
  return {
    number,
    membership,
    kill() {
      isDead = true
    },
  }
}

interface Owners {
  of: (number | null)[]
  living: number
}

async function owners(db: Database): Promise<Owners> {
  return { of: (await readSlots(db)).map(({ node }) => node), living: nodes.length }
}

/** Resolves when every slot is a living node's, and each has its share. */
async function evenly(db: Database): Promise<void> {
  for (;;) {
    const counts = slotCounts((await owners(db)).of)
    const isWhole = counts.reduce((sum, count) => sum + count, 0) === slotCount
    if (isWhole && Math.max(...counts) - Math.min(...counts) <= 1) return
    await pause(10)
  }
}

function slotCounts(of: readonly (number | null)[]): number[] {
  return nodes.map(({ number }) => of.filter((owner) => owner === number).length)
}

async function report(
  name: string,
  { before, now, startedMs }: { before: Owners; now: Owners; startedMs: number },
): Promise<void> {
  const tookMs = performance.now() - startedMs
  const moved = now.of.filter((owner, slot) => owner !== before.of[slot]).length
  const perNode = nodes.map(({ number }) => conversations.filter((slot) => now.of[slot] === number).length)
  const slots = slotCounts(now.of)
  print([
    name,
    String(moved),
    String(mustMove(before, now)),
    (tookMs / 1_000).toFixed(1),
    `${Math.min(...slots)} to ${Math.max(...slots)}`,
    `${Math.min(...perNode)} to ${Math.max(...perNode)}`,
  ])
}

/** Those of nodes that have gone, and those above the new share of nodes that stay. */
function mustMove(before: Owners, now: Owners): number {
  const least = Math.floor(slotCount / now.living)
  const more = slotCount % now.living
  const kept = slotCounts(before.of).sort((one, other) => other - one)
  return slotCount - kept.reduce((sum, count, at) => sum + Math.min(count, at < more ? least + 1 : least), 0)
}

function print(cells: readonly string[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`)
}
