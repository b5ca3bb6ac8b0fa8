/** What this process has to do at the moment: for operators, at any node, and for whoever started it. */
import { maintenance } from '../actors/maintenance/actor.ts'
import type { Services } from '../actors/services.ts'
import type { NodeLoad } from '../http/admin/nodes/loads.ts'
import type { System } from '../runtime/actor/system.ts'
import type { Bus } from '../runtime/nodes/bus.ts'

export interface Figures {
  /** @param connections of clients */
  load(connections: number): NodeLoad
  stats(connections: number): Record<string, unknown>
}

export function openFigures(sources: {
  system: System
  services: Pick<Services, 'running' | 'queue'>
  membership: { readonly slots: number }
  bus: Bus | undefined
  /** How messages to other nodes go. */
  way: () => 'database' | 'nats'
}): Figures {
  const { system, services, membership, bus, way } = sources
  // Those of maintenance stay once they have run.
  const actors = () =>
    system.kinds().reduce((sum, { kind, actors: count }) => sum + (kind === maintenance.kind ? 0 : count), 0)
  const work = (connections: number) => ({
    turns: services.running.size,
    actors: actors(),
    streams: system.streams.size,
    connections,
  })
  return {
    load: (connections) => ({
      ...work(connections),
      waiting: services.queue.waiting,
      memory_bytes: process.memoryUsage.rss(),
      messages: bus ? { way: way(), is_up: bus.isUp, ...bus.counts } : null,
    }),
    stats: (connections) => ({
      slots: membership.slots,
      ...work(connections),
      ...system.counts,
      ...processFigures(),
    }),
  }
}

function processFigures(): Record<string, unknown> {
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage()
  const resources = process.getActiveResourcesInfo()
  return {
    rss,
    heapTotal,
    heapUsed,
    external,
    timers: resources.filter((name) => name === 'Timeout').length,
    sockets: resources.filter((name) => name === 'TCPSocketWrap' || name === 'PipeWrap').length,
  }
}
