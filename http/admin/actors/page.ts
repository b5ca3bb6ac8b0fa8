/** One page of the supervision tree of one node, and its pools. */
import { z } from 'zod'
import type { ActorSnapshot, KindSnapshot } from '../../../runtime/actor/snapshot.ts'
import type { System } from '../../../runtime/actor/system.ts'
import type { Metrics } from '../../../runtime/telemetry/metrics.ts'
import type { Database } from '../../../store/database.ts'

const statuses = ['idle', 'starting', 'running', 'restarting', 'leaving', 'stopping', 'gone'] as const

const KindView = z.object({
  kind: z.string(),
  supervisor: z.string(),
  actors: z.int(),
  statuses: z.partialRecord(z.enum(statuses), z.int()),
  mailbox: z.object({ waiting: z.int(), deepest: z.int(), capacity: z.int() }),
  restarts: z.int().describe('Of those in memory.'),
  oldest_ms: z.int(),
})

const actorFields = {
  path: z.string(),
  kind: z.string(),
  key: z.string(),
  status: z.enum(statuses),
  mailbox: z.object({ waiting: z.int(), capacity: z.int() }),
  restarts: z.int(),
  age_ms: z.int(),
  child_count: z.int(),
}
const GrandchildView = z.object(actorFields)
const ChildView = z.object({ ...actorFields, children: z.array(GrandchildView).describe('The first twenty.') })
const ActorView = z.object({ ...actorFields, children: z.array(ChildView).describe('The first twenty.') })

export const actorQuestion = {
  kind: z.string().max(64).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.coerce.number().int().min(0).default(0).describe('next_cursor of the page before'),
}
export const ActorQuestion = z.object(actorQuestion)
export type ActorQuestion = z.infer<typeof ActorQuestion>

export const ActorPage = z.object({
  kinds: z.array(KindView),
  items: z.array(ActorView),
  next_cursor: z.int().nullable(),
  live: z.int().describe('Actors in memory, including children.'),
  totals: z
    .record(z.string(), z.int())
    .describe('Since the start: crashes, restarts, escalations, dead letters, full mailboxes, passivations.'),
  pools: z.object({
    workers: z.array(
      z.object({
        pool: z.string(),
        threads: z.int(),
        running: z.int(),
        waiting: z.int(),
        ends: z.record(z.string(), z.int()),
      }),
    ),
    database: z.array(z.object({ pool: z.string(), connections_max: z.int(), running: z.int(), waiting: z.int() })),
  }),
})
export type ActorPage = z.infer<typeof ActorPage>

export interface ActorSources {
  system: System
  metrics: Metrics
  db: Database
}

export function actorPage({ system, ...pools }: ActorSources, { kind, limit, cursor }: ActorQuestion): ActorPage {
  const found = kind === undefined ? [] : system.page(kind, { after: cursor, limit: limit + 1 })
  const items = found.slice(0, limit)
  const { deadLetters, mailboxFull, ...counts } = system.counts
  return {
    kinds: system.kinds().map(kindView),
    items: items.map(actorView),
    next_cursor: found.length > limit ? (items.at(-1)?.serial ?? null) : null,
    live: system.live,
    totals: { ...counts, dead_letters: deadLetters, mailbox_full: mailboxFull },
    pools: poolsOf(pools),
  }
}

function kindView(of: KindSnapshot): z.infer<typeof KindView> {
  const { kind, supervisor, actors, statuses: counts, restarts } = of
  const mailbox = { waiting: of.mailboxDepth, deepest: of.mailboxDepthMax, capacity: of.mailboxCapacity }
  return { kind, supervisor, actors, statuses: counts, mailbox, restarts, oldest_ms: Math.round(of.oldestMs) }
}

/** Three levels: only sub-agents of sub-agents are deeper. */
function actorView(actor: ActorSnapshot): z.infer<typeof ActorView> {
  const children = actor.children.map((child) => ({ ...fieldsOf(child), children: child.children.map(fieldsOf) }))
  return { ...fieldsOf(actor), children }
}

function fieldsOf(actor: ActorSnapshot): z.infer<typeof GrandchildView> {
  const { path, kind, key, status, restarts, childCount } = actor
  return {
    path,
    kind,
    key,
    status,
    restarts,
    mailbox: { waiting: actor.mailboxDepth, capacity: actor.mailboxCapacity },
    age_ms: Math.round(actor.ageMs),
    child_count: childCount,
  }
}

function poolsOf({ metrics, db }: Omit<ActorSources, 'system'>) {
  const workers = Array.from(metrics.pools, ([pool, read]) => {
    const gauges = read()
    const { done, failed, refused, cancelled, timedOut, died } = gauges
    const ends = { done, failed, refused, cancelled, timed_out: timedOut, died }
    return { pool, threads: gauges.workers, running: gauges.running, waiting: gauges.waiting, ends }
  })
  const database = db.pools().map(({ name, connectionsMax, running, waiting }) => ({
    pool: name,
    connections_max: connectionsMax,
    running,
    waiting,
  }))
  return { workers, database }
}
