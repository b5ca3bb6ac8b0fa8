/** The retention of partitioned tables: parts are made ahead, and dropped whole once all of a part is old or the table is too large. */
import type { Log } from '../../runtime/log/log.ts'
import type { Database } from '../../store/database.ts'
import {
  dropPartition,
  hasRowsToKeep,
  makePartitions,
  type PartitionedTable,
  partitionsBefore,
  sizesOfPartitions,
} from '../../store/partitions.ts'

/** One table's rule: how long and how much. */
export interface PartitionRule {
  table: PartitionedTable
  /** Undefined: as long as the disk holds. */
  before: Date | undefined
  /** Bytes of all its parts; 0: no bound. */
  bytesMax: number
}

export interface PartitionResult {
  dropped: number
  /** The end of the newest part that is old and has rows to keep: what else is in it is deleted in rounds. */
  keptUntil: Map<PartitionedTable, Date>
}

export async function sweepPartitions(
  db: Database,
  log: Log,
  { rules, now }: { rules: readonly PartitionRule[]; now: Date },
): Promise<PartitionResult> {
  await makePartitions(db)
  const keptUntil = new Map<PartitionedTable, Date>()
  let dropped = 0
  for (const { table, before, bytesMax } of rules) {
    const old = before ? await partitionsBefore(db, table, before) : []
    const large = bytesMax > 0 ? await partsOverSize(db, table, { bytesMax, now }) : []
    for (const partition of new Map([...old, ...large].map((each) => [each.name, each])).values()) {
      if (await hasRowsToKeep(db, table, partition)) {
        keptUntil.set(table, partition.toAt)
        continue
      }
      if (!(await dropPartition(db, partition.name))) continue
      dropped++
      log.info({ table, partition: partition.name, until: partition.toAt }, 'an old part of a table was dropped')
    }
  }
  return { dropped, keptUntil }
}

/** The oldest parts, as many as the table is too large by; never one whose time is not over. */
async function partsOverSize(
  db: Database,
  table: PartitionedTable,
  { bytesMax, now }: { bytesMax: number; now: Date },
) {
  const parts = await sizesOfPartitions(db, table)
  let over = parts.reduce((sum, { bytes }) => sum + bytes, 0) - bytesMax
  const tooMuch = []
  for (const part of parts) {
    if (over <= 0 || part.toAt >= now) break
    tooMuch.push(part)
    over -= part.bytes
  }
  return tooMuch
}
