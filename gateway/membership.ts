/**
 * This process as one of the nodes on its database: it says that it lives, takes the slots that are to be its own, hands over
 * those that are to be others', and notices what it has lost. All clocks that decide are the database's.
 */
import type { Log } from '../runtime/log/log.ts'
import { type Hold, type Leases, leaseMs } from '../runtime/nodes/leases.ts'
import { placeSlots } from '../runtime/nodes/place-slots.ts'
import { slotOf } from '../runtime/nodes/slot.ts'
import { atMost } from '../runtime/time/at-most.ts'
import { type Clock, sleep } from '../runtime/time/clock.ts'
import { ms, seconds } from '../runtime/time/duration.ts'
import { every, type Repetition } from '../runtime/time/every.ts'
import { untilAborted } from '../runtime/time/until-aborted.ts'
import type { Database } from '../store/database.ts'
import { DatabaseDown } from '../store/errors.ts'
import {
  type HeartBeatAnswer,
  heartBeat,
  type LivingNode,
  livingNodes,
  loseNodes,
  registerNode,
  retireNode,
  type StartedProcess,
} from '../store/nodes/nodes.ts'
import { followPrimary } from '../store/nodes/primary.ts'
import { giveSlots, type HeldSlot, readSlots, type Slot, takeSlots } from '../store/nodes/slots.ts'
import { primaryGuard } from './primary-guard.ts'

const beatMs = ms(400)
/** Between two looks, however often others say that something has changed. */
const lookMs = ms(50)
/** What a node does outside it no longer does so long before others may do it. */
const marginMs = ms(200)
/** For so long a node that starts tries to say that it lives, where the database is slow: after that it has not started. */
const joinMsMax = seconds(30)
/** A node that ends waits no longer for a database that does not answer: the others have taken it for lost by then. */
const cutOffMs = leaseMs
/** Handed over at one look, so that the others' actors do not start all at once. */
const givenMax = 32

export interface Membership extends Leases {
  /** In the order in which they started; this one is among them. */
  readonly nodes: readonly LivingNode[]
  /** The node whose slot the key is in; undefined: nobody's, as far as is known here. */
  ownerOf(key: string): number | undefined
  /** Slots have become this node's, and what others left in them is recovered. */
  onGained(listener: (isGained: (key: string) => boolean) => Promise<void>): void
  /** Slots are no longer this node's: what it has in memory of them is stale. */
  onLost(listener: (isLost: (key: string) => boolean) => void): void
  /** Slots were handed over, or are those of a lost node: it is worth their while for the others to look. */
  onFreed(listener: () => void): void
  /** Nodes that were there are lost, or have ended. */
  onGone(listener: (nodes: readonly number[]) => void): void
  /** Others have taken this node for dead, and it lives. */
  onRevived(listener: () => Promise<void>): void
  /** An operator has asked this node to drain. Once. */
  onDrainAsked(listener: () => void): void
  /** How many slots are this node's. */
  readonly slots: number
  /**
   * Lives from now on, beats and looks. Resolves after the first look, when this node has what is free.
   * @throws the signal's reason, once it aborts; DatabaseDown
   */
  start(signal: AbortSignal): Promise<void>
  /** Something has changed: the next look comes at once. */
  look(): void
  /** From now on nothing new begins in its slots, as long as another node is there; each is handed over as soon as nothing runs in it, and none is taken. */
  leave(): void
  /**
   * Resolves when nothing is this node's any more and the others know it, when nobody is there to take it, or after `limitMs`. A
   * database that does not answer is not waited for: the others take what was this node's once its lease is over.
   */
  handedOver(limitMs: number): Promise<void>
  /** The last word: whatever is still its own, others may take at once. Waits no longer for the database than the others do for it. */
  close(): Promise<void>
}

interface OwnSlot {
  lease: number
  holds: number
}

export interface MembershipOptions {
  db: Database
  clock: Clock
  log: Log
  node: number
  process: StartedProcess
  /** No other process can be on this database. */
  isAlone: boolean
  /** What nodes that have gone left running in this node's slots, and their calls. */
  recover(): Promise<void>
}

/** Until `start` the others do not know of this node, however long it takes until then: nobody gives it a slot or waits for it. */
export function joinNodes(options: MembershipOptions): Membership {
  const { db, clock, log, node, recover } = options
  const own = new Map<number, OwnSlot>()
  let owners: Slot[] = []
  let nodes: readonly LivingNode[] = []
  let living: ReadonlySet<number> = new Set()
  let currentUntilMs = Number.NEGATIVE_INFINITY
  let beats: Repetition | undefined
  let looks: Repetition | undefined
  /** How often others took this node for dead, or the database got another primary; and how many of these times it has looked since. */
  let losses = 0
  let lossesSeen = 0
  const guard = primaryGuard(db.address.servers)
  let generation: number | undefined
  let isLeaving = false
  let wasAsked = false
  let gained: (isGained: (key: string) => boolean) => Promise<void> = async () => {}
  let lost: (isLost: (key: string) => boolean) => void = () => {}
  let freed: () => void = () => {}
  let revived: () => Promise<void> = async () => {}
  let drainAsked: () => void = () => {}
  let goneListener: (nodes: readonly number[]) => void = () => {}

  /** Beside all else, on a connection of its own: nothing that the node is busy with makes it late. */
  async function beat(): Promise<void> {
    const sentMs = clock.elapsed()
    const { wasKept, isDraining, generation: granted, primary } = await sayAlive()
    const isOfAnother = generation !== undefined && granted !== generation
    if (isOfAnother) log.warn(primary, 'the database has another primary: this node owns only what that one grants')
    else if (!wasKept) log.warn({ node }, 'this node was taken for dead; it begins anew with what is free')
    generation = granted
    if (isOfAnother || !wasKept) {
      losses++
      looks?.soon()
    }
    // Until it has looked it may have what is others' by now.
    if (losses === lossesSeen) currentUntilMs = sentMs + leaseMs - marginMs
    if (isDraining && !isLeaving && !wasAsked) {
      wasAsked = true
      drainAsked()
    }
  }

  async function firstBeat(signal: AbortSignal): Promise<void> {
    const untilMs = clock.elapsed() + joinMsMax
    for (let attempt = 1; ; attempt++) {
      try {
        return await untilAborted(beat(), signal)
      } catch (error) {
        if (!(error instanceof DatabaseDown) || clock.elapsed() > untilMs) throw error
        const fields = { reason: error.message, attempt }
        log[attempt === 1 ? 'warn' : 'debug'](fields, 'this node cannot say yet that it lives; it tries again')
        await sleep(clock, beatMs, signal)
      }
    }
  }

  async function look(isAlone = false): Promise<void> {
    const lossesBefore = losses
    const gone = await loseNodes(db, node, isAlone)
    if (gone.length > 0) log.warn({ nodes: gone }, 'nodes are lost: others take what was theirs')
    const before = nodes
    nodes = await livingNodes(db)
    living = new Set(nodes.map(({ epoch }) => epoch))
    const ended = before.map(({ epoch }) => epoch).filter((epoch) => !living.has(epoch))
    if (ended.length > 0) goneListener(ended)
    if (gone.length > 0) freed()
    owners = await readSlots(db)
    const added = noticeChanges()
    if (lossesSeen < lossesBefore) await revived()
    lossesSeen = lossesBefore
    const staying = nodes.filter(({ epoch, isDraining: isGoing }) => !(epoch === node ? isLeaving : isGoing))
    const placed = placeSlots(
      staying.map(({ epoch }) => epoch),
      owners.map((slot) => slot.node),
    )
    if (!isLeaving) added.push(...(await take(placed)))
    if (added.length > 0 || gone.length > 0 || ended.length > 0) await recover()
    for (const { slot, lease } of added) own.set(slot, { lease, holds: 0 })
    await give(placed)
    if (added.length > 0) await gained(among(added.map(({ slot }) => slot)))
  }

  /** To the primary that was promoted last. After a promotion the leases that it grants are new ones. */
  async function sayAlive(): Promise<HeartBeatAnswer> {
    const word = { epoch: node, leaseMs, isDraining: isLeaving }
    let answer = await heartBeat(db, word)
    guard.require(answer.primary)
    if (!answer.isKnownPrimary || !answer.isThere) {
      await followPrimary(db, leaseMs)
      if (!answer.isThere) await registerNode(db, { ...options.process, epoch: node }, leaseMs)
      answer = await heartBeat(db, word)
      guard.require(answer.primary)
    }
    if (!answer.isKnownPrimary) throw new DatabaseDown('it was promoted again a moment ago')
    return answer
  }

  /** Others took or gave, or the leases of another primary are in force. @returns those that are to be this node's from now on */
  function noticeChanges(): HeldSlot[] {
    const added: HeldSlot[] = []
    const taken: number[] = []
    for (const { slot, node: owner, lease } of owners) {
      const known = own.get(slot)
      if (known?.lease === lease && owner === node) continue
      if (known) {
        own.delete(slot)
        taken.push(slot)
      }
      if (owner === node) added.push({ slot, lease })
    }
    if (taken.length > 0) {
      log.warn({ slots: taken.length }, 'slots of this node were taken by others, or have a new lease')
      lost(among(taken))
    }
    return added
  }

  async function take(placed: readonly (number | null)[]): Promise<HeldSlot[]> {
    const wanted = owners.filter(
      ({ slot, node: owner }) => placed[slot] === node && !(owner !== null && living.has(owner)),
    )
    if (wanted.length === 0) return []
    const taken = await takeSlots(db, node, wanted)
    if (taken.length > 0) log.info({ slots: taken.length }, 'this node has taken slots')
    return taken
  }

  /** Those that are placed elsewhere, while nothing runs in them. A node that leaves gives all, as they are placed without it. */
  async function give(placed: readonly (number | null)[]): Promise<void> {
    const byTarget = new Map<number, number[]>()
    let count = 0
    for (const [slot, { holds }] of own) {
      const target = placed[slot]
      if (target === node || target === null || target === undefined || holds > 0) continue
      if (++count > givenMax) {
        looks?.soon()
        break
      }
      byTarget.set(target, [...(byTarget.get(target) ?? []), slot])
    }
    for (const [to, slots] of byTarget) await giveTo(to, slots)
    if (byTarget.size > 0) freed()
  }

  async function giveTo(to: number, slots: readonly number[]): Promise<void> {
    for (const slot of slots) own.delete(slot)
    lost(among(slots))
    await giveSlots(db, { from: node, to }, slots)
    for (const slot of slots) owners[slot] = { slot, node: to, lease: 0 }
    log.info({ to, slots: slots.length, own: own.size }, 'slots are handed over to another node')
  }

  const isAnybodyThere = () => nodes.some(({ epoch, isDraining }) => epoch !== node && !isDraining)

  return {
    node,
    get nodes() {
      return nodes
    },
    get slots() {
      return own.size
    },
    of: (key) => own.get(slotOf(key))?.lease,
    hold(key): Hold | undefined {
      const slot = own.get(slotOf(key))
      // What runs is finished; what is new is for whoever has the slot next.
      if (!slot || (isLeaving && isAnybodyThere())) return undefined
      slot.holds++
      return {
        lease: slot.lease,
        release() {
          if (--slot.holds === 0 && isLeaving) looks?.soon()
        },
      }
    },
    get isCurrent() {
      return clock.elapsed() < currentUntilMs
    },
    ownerOf(key) {
      const slot = slotOf(key)
      if (own.has(slot)) return node
      const owner = owners[slot]?.node ?? undefined
      // What is to be this node's is not yet, as long as it is being recovered; and what was a lost node's is nobody's.
      return owner === node || owner === undefined || !living.has(owner) ? undefined : owner
    },
    onGained(listener) {
      gained = listener
    },
    onLost(listener) {
      lost = listener
    },
    onFreed(listener) {
      freed = listener
    },
    onGone(listener) {
      goneListener = listener
    },
    onRevived(listener) {
      revived = listener
    },
    onDrainAsked(listener) {
      drainAsked = listener
    },
    async start(signal) {
      // The store tells that its database is away; the next ones are tried.
      const onError = (error: unknown) => log.debug({ err: error }, 'this node could not say that it lives, or look')
      await firstBeat(signal)
      // Before the look: what others left may take longer to recover than the lease.
      beats = every(beatMs, beat, { clock, soonMs: lookMs, onError })
      await look(options.isAlone)
      looks = every(beatMs, () => look(), { clock, soonMs: lookMs, onError })
    },
    look: () => looks?.soon(),
    leave() {
      isLeaving = true
      beats?.soon()
      looks?.soon()
    },
    async handedOver(limitMs) {
      const untilMs = clock.elapsed() + limitMs
      const isCutOff = () => clock.elapsed() > currentUntilMs + cutOffMs
      while (own.size > 0 && isAnybodyThere() && !isCutOff() && clock.elapsed() < untilMs) await sleep(clock, lookMs)
      if (isCutOff())
        log.warn({ slots: own.size }, 'the database does not answer: others take the slots of this node by themselves')
      // Until each has seen it, questions still come here, and are sent on.
      else if (isAnybodyThere()) await sleep(clock, beatMs + 2 * lookMs)
    },
    async close() {
      const retired = Promise.all([beats?.stop(), looks?.stop()]).then(() => retireNode(db, node))
      const onLate = () =>
        log.warn({ node }, 'the database does not answer: others see by themselves that this node has ended')
      try {
        await atMost(cutOffMs, retired, { clock, onLate })
      } catch (error) {
        if (!(error instanceof DatabaseDown)) throw error
        onLate()
      }
    },
  }
}

function among(slots: readonly number[]): (key: string) => boolean {
  const known = new Set(slots)
  return (key) => known.has(slotOf(key))
}
