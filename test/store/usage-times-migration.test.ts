/** Times of an earlier version, a row for each bucket, are the same to a reader after the migration that gathers them. */
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { openDatabase } from '../../store/database.ts'
import { firstWorkspaceId, uuidOf } from '../../store/id.ts'
import { migrate } from '../../store/migrate.ts'
import { readMigrations } from '../../store/migration-files.ts'
import { originsInView } from '../../store/turns/origin.ts'
import { readUsage } from '../../store/usage/analytics.ts'
import { freshAddress } from '../support/database.ts'

const silent = pino({ level: 'silent' })

test('times that were kept by bucket are read as before', async () => {
  const { address, drop } = await freshAddress({ isEmpty: true })
  const db = openDatabase(address)
  try {
    const migrations = await readMigrations()
    const last = migrations.findIndex(({ name }) => name === '0029_usage_times.sql')
    await migrate(address, silent, { migrations: migrations.slice(0, last) })
    const fromMs = Date.UTC(2026, 4, 1)
    for (const [origin, bucket, turns] of [
      ['call', 1_020, 5],
      ['call', 30, 4],
      ['channel', 30, 7],
    ] as const) {
      await db.system`
        insert into usage_times values (${uuidOf(firstWorkspaceId)}::uuid, 'month', 'all', ${new Date(fromMs)}, '', ${origin}::text,
          ${bucket}::integer, ${turns}::integer)`
    }
    await migrate(address, silent)
    const [group] = await readUsage(db, {
      ...{ workspace: firstWorkspaceId, groupBy: 'none', origins: originsInView },
      window: { fromMs, untilMs: Date.UTC(2026, 5, 1) },
    })
    expect(group?.sums.times).toEqual(
      new Map([
        [30, 11],
        [1_020, 5],
      ]),
    )
  } finally {
    await db.close()
    await drop()
  }
})
