/** The supervision tree as plain data, in bounded pieces, for the admin API. */
import type { ActorCell, CellStatus } from './system-core.ts'

/** Of one actor. The depth below it is not cut. */
const childrenMax = 20

export interface ActorSnapshot {
  path: string
  kind: string
  key: string
  /** Counts up with each actor that is made in a process: the cursor of a page. */
  serial: number
  status: CellStatus
  mailboxDepth: number
  mailboxCapacity: number
  restarts: number
  /** Since it came into memory. */
  ageMs: number
  /** All of them; `children` holds the first few. */
  childCount: number
  children: ActorSnapshot[]
}

export interface KindSnapshot {
  kind: string
  supervisor: string
  actors: number
  statuses: Partial<Record<CellStatus, number>>
  /** Messages that wait, of all of them. */
  mailboxDepth: number
  mailboxDepthMax: number
  mailboxCapacity: number
  restarts: number
  oldestMs: number
}

export function snapshotOf(cell: ActorCell, nowMs: number): ActorSnapshot {
  const children: ActorSnapshot[] = []
  let childCount = 0
  for (const child of cell.children) if (childCount++ < childrenMax) children.push(snapshotOf(child, nowMs))
  return {
    path: cell.path,
    kind: cell.definition.kind,
    key: cell.key,
    serial: cell.serial,
    status: cell.status,
    mailboxDepth: cell.depth,
    mailboxCapacity: cell.definition.mailbox.capacity,
    restarts: cell.restarts,
    ageMs: nowMs - cell.bornMs,
    childCount,
    children,
  }
}

/** One pass over all of them: about a millisecond for ten thousand. */
export function kindSnapshot(
  of: { kind: string; supervisor: string; mailboxCapacity: number },
  cells: Iterable<ActorCell>,
  nowMs: number,
): KindSnapshot {
  const counted = { actors: 0, mailboxDepth: 0, mailboxDepthMax: 0, restarts: 0, oldestMs: 0 }
  const statuses: Partial<Record<CellStatus, number>> = {}
  for (const cell of cells) {
    counted.actors++
    counted.mailboxDepth += cell.depth
    counted.mailboxDepthMax = Math.max(counted.mailboxDepthMax, cell.depth)
    counted.restarts += cell.restarts
    counted.oldestMs = Math.max(counted.oldestMs, nowMs - cell.bornMs)
    statuses[cell.status] = (statuses[cell.status] ?? 0) + 1
  }
  return { ...of, ...counted, statuses }
}

/** In the order in which they were made, which is that of the map; `after` is a serial, exclusive. */
export function snapshotPage(
  cells: Iterable<ActorCell>,
  page: { after: number; limit: number },
  nowMs: number,
): ActorSnapshot[] {
  const found: ActorSnapshot[] = []
  for (const cell of cells) {
    if (found.length >= page.limit) break
    if (cell.serial > page.after) found.push(snapshotOf(cell, nowMs))
  }
  return found
}
