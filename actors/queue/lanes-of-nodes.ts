/**
 * The limits of channels over all nodes. Each node tells the others what runs and waits at it of each channel. Those that have
 * turns share what may run; where the others have none, one may run all. What waits is added up.
 */
import type { Log } from '../../runtime/log/log.ts'
import type { Bus } from '../../runtime/nodes/bus.ts'
import type { NodesAround } from '../../runtime/nodes/leases.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { ms, seconds } from '../../runtime/time/duration.ts'
import { every } from '../../runtime/time/every.ts'
import type { LaneKey } from './lane.ts'
import type { LaneLimits, TurnQueue } from './turn-queue.ts'

export interface LanesOfNodes {
  /** What of the limits of a lane is this node's for the moment. Never less than one turn: its conversations go on. */
  limits(lane: LaneKey, ofAll: LaneLimits): LaneLimits
  stop(): Promise<void>
}

interface Counts {
  running: number
  waiting: number
}

/** Of one node. */
interface Heard {
  lanes: ReadonlyMap<string, Counts>
  atMs: number
}

const tellMs = ms(250)
/** A node that has said nothing for so long has nothing, as far as limits go. */
const silentMs = seconds(2)
/** A lane that begins here may begin at others in the same moment: until they can have said so it has no more than its share of all nodes. */
const beginningMs = 2 * tellMs
/** Said again so often while nothing changes: what was said may be lost. */
const repeatMs = seconds(1)
const lanesMax = 10_000
const none: Counts = { running: 0, waiting: 0 }

export function lanesOfNodes(options: {
  bus: Bus
  around: Pick<NodesAround, 'node' | 'nodes'>
  clock: Clock
  log: Log
  queue(): Pick<TurnQueue, 'busyLanes' | 'limitsChanged'>
}): LanesOfNodes {
  const { bus, around, clock, log, queue } = options
  const { node } = around
  const heard = new Map<number, Heard>()
  const busySinceMs = new Map<string, number>()
  let told = { text: '[]', atMs: 0 }

  bus.on('lanes', (body, from) => {
    const lanes = lanesIn(body)
    if (!lanes || !around.nodes.some(({ epoch }) => epoch === from)) return
    heard.set(from, { lanes, atMs: clock.elapsed() })
    queue().limitsChanged()
  })

  function tell(): void {
    const nowMs = clock.elapsed()
    for (const [other, { atMs }] of heard) if (nowMs - atMs > silentMs) heard.delete(other)
    const lanes = [...queue().busyLanes()].slice(0, lanesMax)
    const names = new Set<string>(lanes.map(([lane]) => lane))
    for (const lane of busySinceMs.keys()) if (!names.has(lane)) busySinceMs.delete(lane)
    const text = JSON.stringify(lanes)
    const isOld = lanes.length > 0 && nowMs - told.atMs >= repeatMs
    if (text !== told.text || isOld) {
      told = { text, atMs: nowMs }
      bus.broadcast('lanes', lanes)
    }
    // What was held back while a lane began, or for a node that is silent now, may run.
    if (lanes.length > 0) queue().limitsChanged()
  }
  const telling = every(tellMs, tell, {
    clock,
    onError: (error) => log.warn({ err: error }, 'this node could not tell the others which turns of channels it has'),
  })

  return {
    limits(lane, ofAll) {
      if (lane === 'none' || around.nodes.length < 2) return ofAll
      const nowMs = clock.elapsed()
      const sinceMs = busySinceMs.get(lane) ?? nowMs
      busySinceMs.set(lane, sinceMs)
      let [running, waiting] = [0, 0]
      const sharing = [node]
      for (const { epoch: other } of around.nodes) {
        if (other === node) continue
        const counts = heard.get(other)?.lanes.get(lane) ?? none
        running += counts.running
        waiting += counts.waiting
        if (nowMs - sinceMs < beginningMs || counts.running + counts.waiting > 0) sharing.push(other)
      }
      const share = shareOf(node, sharing, ofAll.turnsMax)
      const free = ofAll.turnsMax - running
      // What others have not given back yet is waited for; what they leave is taken where nothing waits there.
      const turnsMax = waiting === 0 && nowMs - sinceMs >= beginningMs ? free : Math.min(share, free)
      return { ...ofAll, turnsMax: Math.max(1, turnsMax), waitingElsewhere: waiting }
    },
    stop: () => telling.stop(),
  }
}

/** As even as can be, and one more for those with the smallest numbers. */
function shareOf(node: number, nodes: readonly number[], most: number): number {
  const place = nodes.filter((other) => other < node).length
  return Math.floor(most / nodes.length) + (place < most % nodes.length ? 1 : 0)
}

function lanesIn(body: unknown): Map<string, Counts> | undefined {
  if (!Array.isArray(body) || body.length > lanesMax) return undefined
  const lanes = new Map<string, Counts>()
  for (const entry of body) {
    const [lane, running, waiting] = Array.isArray(entry) ? entry : []
    if (typeof lane !== 'string' || lane.length > 64 || !isCount(running) || !isCount(waiting)) return undefined
    lanes.set(lane, { running, waiting })
  }
  return lanes
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
