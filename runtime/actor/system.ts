/** The actor system: the root of the tree, one supervisor a kind, and `actor()`, the only way in. */
import type { Log } from '../log/log.ts'
import type { NodesAround } from '../nodes/leases.ts'
import type { Links } from '../nodes/links.ts'
import { type Random, systemRandom } from '../random.ts'
import { noTracer, type Tracer } from '../telemetry/trace.ts'
import { type Clock, systemClock } from '../time/clock.ts'
import { Cell } from './cell.ts'
import type { Codec } from './codec.ts'
import { deadlines } from './deadlines.ts'
import type { ActorRef, AnyDefinition, Handlers, KeyOf, TableOf } from './define.ts'
import { dispatcher } from './dispatcher.ts'
import type { Envelope } from './envelope.ts'
import { ActorStopped } from './errors.ts'
import { type IdleList, idleList } from './idle-list.ts'
import { type Pins, pinnedActors } from './pinned.ts'
import { Ref } from './ref.ts'
import { openRemote } from './remote.ts'
import { type ActorSnapshot, type KindSnapshot, kindSnapshot, snapshotOf, snapshotPage } from './snapshot.ts'
import { type Streams, streams } from './streams.ts'
import type { ActorCell, CellParent, Destination, SystemCore, SystemCounts } from './system-core.ts'
import { type FailureType, failureTransfer, transferring } from './transfer.ts'

export interface SystemOptions<Services> {
  /** What handlers reach as `context.services`. */
  services: Services
  log: Log
  clock?: Clock
  random?: Random
  tracer?: Tracer
  /** Messages, answers, stream items and failures pass through it, as if their receiver lived elsewhere: tests find what is not plain data. */
  codec?: Codec | undefined
  /** Where actors that are placed by slot live, and the way there. Absent: all live here. */
  nodes?: { around: NodesAround; links: Links } | undefined
  /** On which node each pinned actor lives. Absent: all that are pinned are pinned here. */
  pins?: Pins | undefined
  /** The kinds that other nodes may ask for. */
  definitions?: readonly AnyDefinition[]
  /** Failures of the application that callers tell apart by their class. */
  failures?: readonly FailureType[]
}

export interface System {
  /** @throws what the definition's `key` throws for an invalid key */
  actor<Definition extends AnyDefinition>(definition: Definition, key: KeyOf<Definition>): ActorRef<TableOf<Definition>>
  /**
   * Makes this node the place of a pinned actor.
   * @returns stops it, and lets its key be pinned anew
   * @throws ActorPinned it lives already, here or on another node
   */
  pin<Definition extends AnyDefinition>(definition: Definition, key: KeyOf<Definition>): Promise<() => Promise<void>>
  /** Others have taken this node for dead: pinned actors that are no longer its own end. */
  checkPins(): Promise<void>
  readonly streams: Streams
  readonly counts: Readonly<SystemCounts>
  /** Instances in memory. */
  readonly live: number
  /** The tree below the root, at most `actorsMax` of each supervisor. */
  snapshot(actorsMax: number): { supervisor: string; actors: number; sample: ActorSnapshot[] }[]
  /** Numbers and states of the actors of each kind. Walks over all of them. */
  kinds(): KindSnapshot[]
  /** Actors of one kind in the order in which they were made, behind the serial `after` (0: from the first). */
  page(kind: string, page: { after: number; limit: number }): ActorSnapshot[]
  /**
   * Actors that are placed by slot and whose keys are other nodes' now, or are under another lease: they end at once, and what they
   * still write is refused. What comes for such a key where it is this node's again waits until they have ended.
   */
  release(isLost: (key: string) => boolean): void
  /**
   * The drain: nothing new starts; running work may finish within `graceMs`, then it is aborted.
   * Resolves when every actor is gone.
   */
  stop(graceMs: number): Promise<void>
}

/** The parent of all actors of one kind. A failure that reaches it has reached the root: only that branch ends. */
class KindSupervisor implements CellParent {
  readonly path: string
  readonly cells = new Map<string, ActorCell>()
  /** The ends of those that were given up, by key. */
  readonly ending = new Map<string, Promise<unknown>>()
  readonly #core: SystemCore
  constructor(path: string, core: SystemCore) {
    this.path = path
    this.#core = core
  }
  release(cell: ActorCell): void {
    if (this.cells.get(cell.key) === cell) this.cells.delete(cell.key)
  }
  giveUp(cell: ActorCell): void {
    const { key } = cell
    this.cells.delete(key)
    const ended = Promise.allSettled([this.ending.get(key), cell.stop(0)]).then(() => {
      if (this.ending.get(key) === ended) this.ending.delete(key)
    })
    this.ending.set(key, ended)
  }
  childFailed(cell: ActorCell, error: Error): void {
    this.#core.counts.escalations++
    this.#core.log.error({ err: error, actor: cell.path }, 'actor failed past its restarts and was stopped')
  }
}

export function createSystem<Services>(options: SystemOptions<Services>): System {
  const clock = options.clock ?? systemClock
  const askDeadlines = deadlines(clock)
  const transfer = options.codec && transferring(options.codec, options.failures ?? [])
  const supervisors = new Map<AnyDefinition, KindSupervisor>()
  const idleLists = new Map<AnyDefinition, IdleList>()
  let isStopping = false
  let stopping: Promise<void> | undefined

  const core: SystemCore = {
    services: options.services,
    clock,
    random: options.random ?? systemRandom,
    tracer: options.tracer ?? noTracer,
    log: options.log,
    streams: streams(transfer),
    dispatcher: dispatcher(),
    transfer,
    counts: { crashes: 0, restarts: 0, escalations: 0, deadLetters: 0, mailboxFull: 0, passivations: 0 },
    live: 0,
    made: 0,
    idleOf(definition) {
      if (definition.idle === undefined) return undefined
      let list = idleLists.get(definition)
      if (!list) {
        list = idleList(clock, definition.idle)
        idleLists.set(definition, list)
      }
      return list
    },
    ref(definition, key, { family, sender, isOfOther = false }) {
      definition.key.parse(key)
      const resolve = family ? () => family.child(definition, key) : () => placed(definition, key)
      const sendOn =
        remote && definition.placement === 'slot' && !family && !isOfOther
          ? (envelope: Envelope) => remote.sendOn(definition, key, envelope)
          : undefined
      return new Ref({ definition, key, resolve, sendOn }, core, askDeadlines, sender) as ActorRef<never>
    },
    cell: (definition, key, parent) => new Cell(core, definition, key, parent),
    deadLetter(path, envelope) {
      core.counts.deadLetters++
      core.log.debug({ actor: path, type: envelope.type, sender: envelope.sender ?? 'outside' }, 'dead letter')
    },
  }

  function supervisorOf(definition: AnyDefinition): KindSupervisor {
    let supervisor = supervisors.get(definition)
    if (!supervisor) {
      supervisor = new KindSupervisor(definition.under ?? `${definition.kind}s`, core)
      supervisors.set(definition, supervisor)
    }
    return supervisor
  }

  function placed(definition: AnyDefinition, key: string): Destination {
    if (definition.placement === 'pinned') return pinned.destination(definition, key)
    return (definition.placement === 'slot' && remote?.destination(definition, key)) || rooted(definition, key)
  }

  function rooted(definition: AnyDefinition, key: string): ActorCell {
    const supervisor = supervisorOf(definition)
    let cell = supervisor.cells.get(key)
    if (!cell) {
      if (isStopping) throw new ActorStopped(`${supervisor.path}/${key}`)
      cell = core.cell(definition, key, supervisor)
      supervisor.cells.set(key, cell)
      const previous = supervisor.ending.get(key)
      if (previous) cell.startAfter(previous)
    }
    return cell
  }

  const remote =
    options.nodes &&
    openRemote({
      nodes: options.nodes.around,
      links: options.nodes.links,
      streams: core.streams,
      failures: failureTransfer(options.failures ?? []),
      clock,
      log: options.log,
      definitions: options.definitions ?? [],
      isPinnedHere: (definition, key) => pinned.isHere(definition, key),
      local: rooted,
      ref: (definition, key) => core.ref(definition, key, { isOfOther: true }) as ActorRef<Handlers<unknown>>,
      deadLetter: core.deadLetter,
    })

  const pinned = pinnedActors({
    pins: options.pins,
    local: rooted,
    async stopLocal(definition, key) {
      await supervisorOf(definition).cells.get(key)?.stop(0)
    },
    sendTo: remote?.sendTo,
    deadLetter: core.deadLetter,
  })

  async function stopAll(graceMs: number): Promise<void> {
    isStopping = true
    const all = [...supervisors.values()]
    const cells = all.flatMap((supervisor) => [...supervisor.cells.values()])
    const ending = all.flatMap((supervisor) => [...supervisor.ending.values()])
    await Promise.all([...cells.map((cell) => cell.stop(graceMs)), ...ending])
  }

  return {
    actor<Definition extends AnyDefinition>(definition: Definition, key: KeyOf<Definition>) {
      return core.ref(definition, key, {})
    },
    async pin(definition, key) {
      definition.key.parse(key)
      return await pinned.pin(definition, key)
    },
    checkPins: () => pinned.check(),
    get streams() {
      return core.streams
    },
    get counts() {
      return core.counts
    },
    get live() {
      return core.live
    },
    snapshot(actorsMax) {
      return Array.from(supervisors.values(), ({ path, cells }) => ({
        supervisor: path,
        actors: cells.size,
        sample: Array.from(cells.values().take(actorsMax), (cell) => snapshotOf(cell, clock.elapsed())),
      }))
    },
    kinds: () =>
      Array.from(supervisors, ([{ kind, mailbox }, { path, cells }]) =>
        kindSnapshot({ kind, supervisor: path, mailboxCapacity: mailbox.capacity }, cells.values(), clock.elapsed()),
      ),
    page(kind, page) {
      const [, found] = Array.from(supervisors).find(([definition]) => definition.kind === kind) ?? []
      return found ? snapshotPage(found.cells.values(), page, clock.elapsed()) : []
    },
    release(isLost) {
      for (const [{ placement }, supervisor] of supervisors) {
        if (placement !== 'slot') continue
        for (const [key, cell] of supervisor.cells) if (isLost(key)) supervisor.giveUp(cell)
      }
    },
    stop(graceMs) {
      stopping ??= stopAll(graceMs)
      return stopping
    },
  }
}
